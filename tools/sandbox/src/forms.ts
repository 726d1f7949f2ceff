import type { FastifyInstance } from 'fastify';

/** Registers the routes to which the forms of pages are posted. Their handlers get the body as URLSearchParams. */
export function registerForms(app: FastifyInstance, registerRoutes: (scope: FastifyInstance) => void): void {
  void app.register(async (scope) => {
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
      done(null, new URLSearchParams(body.toString())),
    );
    registerRoutes(scope);
  });
}
