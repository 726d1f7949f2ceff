import type { FastifyInstance } from 'fastify';
import { SandboxError } from '../errors';
import { registerForms } from '../forms';
import { outcomeOf } from '../webhook/signed-webhooks';
import { type Fault, FAULT_ROUTES, FAULTS } from './faults';
import { addAlert } from './new-alert';
import { KINDS } from './sample-data';
import type { UserAttempts } from './user-attempts';
import type { ControlParts } from './vendor-control-routes';
import { ALL_ROUTES, kindOf, type Notice, ROUTE_OPTIONS, vendorPage } from './vendor.page';

interface Form {
  Body: URLSearchParams;
}

const KRN = /^krn:[a-z0-9-]+:[a-z0-9-]+:user:[A-Za-z0-9_-]{1,64}$/;

/** Registers the page of the vendor. Its forms control the vendor as the JSON routes in vendor-control-routes.ts do. */
export function registerVendorPage(app: FastifyInstance, parts: ControlParts, attempts: UserAttempts): void {
  /** The result of the latest form, which the page shows. */
  let notice: Notice | undefined;
  const report = (text: string, good: boolean): void => void (notice = { at: new Date().toISOString(), text, good });

  app.get('/vendor', (_request, reply) => reply.type('text/html').send(vendorPage(parts.users, parts.faults, notice)));
  registerForms(app, (scope) => {
    scope.post<Form>('/vendor/faults', (request, reply) => {
      const { route, fault } = readFault(request.body);
      for (const one of route === ALL_ROUTES ? FAULT_ROUTES : [route]) parts.faults.set({ route: one, fault });
      return reply.redirect('/vendor', 303);
    });
    scope.post<Form>('/vendor/alerts', async (request, reply) => {
      const kind = KINDS.find((one) => kindOf(one) === request.body.get('kind'));
      if (!kind) throw new SandboxError(400, 'kind: must be one of the options of the page');
      const alert = { bureau: kind[0], class: kind[1] };
      const { alertId, webhook } = await addAlert(parts, request.body.get('clientKey') ?? '', alert);
      report(`Alert ${alertId} was created. Its webhook: ${outcomeOf(webhook)}.`, webhook.status === 200);
      return reply.redirect('/vendor', 303);
    });
    scope.post<Form>('/vendor/attempts', async (request, reply) => {
      const krn = request.body.get('krn')?.trim() ?? '';
      if (!KRN.test(krn)) throw new SandboxError(400, 'krn: must be the KRN of a user, such as krn:tandem:dev:user:b');
      const { text, confirmed } = await attempts.attempt(krn);
      report(`Attempt as ${krn}: ${text}`, confirmed);
      return reply.redirect('/vendor', 303);
    });
  });
}

function readFault(form: URLSearchParams): { route: (typeof ROUTE_OPTIONS)[number]; fault: Fault['fault'] } {
  const route = ROUTE_OPTIONS.find((name) => name === form.get('route'));
  const fault = FAULTS.find((name) => name === form.get('fault'));
  if (!route) throw new SandboxError(400, 'route: must be one of the options of the page');
  if (!fault) throw new SandboxError(400, 'fault: must be one of the buttons of the page');
  return { route, fault };
}
