import type { FastifyError, FastifyInstance } from 'fastify';

/** The sandbox refuses a request. The caller gets the status and the message. */
export class SandboxError extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

/** Turns the errors of the routes into the answer `{"error": "…"}`. If a schema refuses a request, the answer also lists the `fields`. */
export function installErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `the sandbox has no ${request.method} ${request.url.split('?')[0]}` }),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.validation) {
      const fields = error.validation.map(({ instancePath, params, message }) => {
        const missing = params.missingProperty ?? params.additionalProperty;
        const parts = [...instancePath.split('/').slice(1), ...(missing ? [String(missing)] : [])];
        return { field: parts.join('.') || (error.validationContext ?? 'body'), message: message ?? 'is not valid' };
      });
      const text = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
      return reply.code(400).send({ error: `the ${error.validationContext} is not valid: ${text}`, fields });
    }
    if (error instanceof SandboxError) return reply.code(error.statusCode).send({ error: error.message });
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error(error);
    return reply.code(status).send({ error: status >= 500 ? 'the sandbox failed: see its log' : error.message });
  });
}
