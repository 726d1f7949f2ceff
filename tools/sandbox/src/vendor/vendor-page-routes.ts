import type { FastifyInstance } from 'fastify';
import { SandboxError } from '../errors';
import { registerForms } from '../forms';
import { KRN_PATTERN, queryOf, readKrn } from '../krn';
import { outcomeOf } from '../webhook/signed-webhooks';
import { type Fault, FAULT_ROUTES, type FaultBook, FAULTS } from './faults';
import { addAlert } from './new-alert';
import { type PersonalData, readPersonalData } from './personal-data';
import { KINDS } from './sample-data';
import type { UserAttempts } from './user-attempts';
import type { ControlParts } from './vendor-control-routes';
import { ALL_ROUTES, kindOf, type Notice, ROUTE_OPTIONS, vendorPage } from './vendor.page';

interface Page {
  Querystring: { krn?: string };
}

interface Form extends Page {
  Body: URLSearchParams;
}

const querystring = { type: 'object', properties: { krn: { type: 'string', pattern: KRN_PATTERN } } };

/** Registers the page of the vendor. Its forms control the vendor as the JSON routes in vendor-control-routes.ts do. */
export function registerVendorPage(app: FastifyInstance, parts: ControlParts, attempts: UserAttempts): void {
  /** The result of the latest form, which the page shows. */
  let notice: Notice | undefined;
  const report = (text: string, good: boolean): void => void (notice = { at: new Date().toISOString(), text, good });
  /** The latest personal data that the platform has not accepted. */
  let refused: { krn: string; typed: PersonalData } | undefined;

  app.get<Page>('/vendor', { schema: { querystring } }, ({ query: { krn } }, reply) => {
    const typed = refused?.krn === krn ? refused?.typed : undefined;
    return reply.type('text/html').send(vendorPage(parts, notice, { krn, typed }));
  });
  registerForms(app, (scope) => {
    scope.post<Form>('/vendor/faults', { schema: { querystring } }, ({ body, query }, reply) => {
      const { route, fault } = readFault(body);
      const wasRefusing = isRefusing(parts.faults);
      for (const one of route === ALL_ROUTES ? FAULT_ROUTES : [route]) parts.faults.set({ route: one, fault });
      if (fault !== 'none' && wasRefusing && !isRefusing(parts.faults)) report(REFUSAL_ENDED, false);
      return reply.redirect(`/vendor${queryOf(query.krn)}`, 303);
    });
    scope.post<Form>('/vendor/alerts', { schema: { querystring } }, async ({ body, query }, reply) => {
      const kind = KINDS.find((one) => kindOf(one) === body.get('kind'));
      if (!kind) throw new SandboxError(400, 'kind: must be one of the options of the page');
      const alert = { bureau: kind[0], class: kind[1] };
      const { alertId, webhook } = await addAlert(parts, body.get('clientKey') ?? '', alert);
      report(`Alert ${alertId} was created. Its webhook: ${outcomeOf(webhook)}.`, webhook.status === 200);
      return reply.redirect(`/vendor${queryOf(query.krn)}`, 303);
    });
    scope.post<Form>('/vendor/attempts', async ({ body }, reply) => {
      const krn = readUser(body);
      const { text, confirmed } = await attempts.attempt(krn);
      report(`Attempt as ${krn}: ${text}`, confirmed);
      return reply.redirect(`/vendor${queryOf(krn)}`, 303);
    });
    scope.post<Form>('/vendor/profiles', async ({ body }, reply) => {
      const krn = readUser(body);
      const typed = readPersonalData(body);
      const { text, confirmed } = await attempts.createProfile(krn, typed);
      refused = confirmed ? undefined : { krn, typed };
      report(`Personal data of ${krn}: ${text}`, confirmed);
      return reply.redirect(`/vendor?krn=${encodeURIComponent(krn)}`, 303);
    });
  });
}

const REFUSAL_ENDED =
  'The vendor no longer refuses identities, because each part of it has one failure at a time. “Refuse every identity” starts it again.';

const isRefusing = (faults: FaultBook): boolean => faults.list().some(({ fault }) => fault === 'refuse');

function readUser(form: URLSearchParams): string {
  const krn = readKrn(form.get('krn'));
  if (!krn) throw new SandboxError(400, 'krn: must be the KRN of a user, such as krn:tandem:dev:user:b');
  return krn;
}

function readFault(form: URLSearchParams): { route: (typeof ROUTE_OPTIONS)[number]; fault: Fault['fault'] } {
  const route = ROUTE_OPTIONS.find((name) => name === form.get('route'));
  const fault = FAULTS.find((name) => name === form.get('fault'));
  if (!route) throw new SandboxError(400, 'route: must be one of the options of the page');
  if (!fault) throw new SandboxError(400, 'fault: must be one of the buttons of the page');
  return { route, fault };
}
