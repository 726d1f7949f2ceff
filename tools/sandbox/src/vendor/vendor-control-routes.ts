import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { SignedWebhooks, WebhookResult } from '../webhook/signed-webhooks';
import type { Fault, FaultBook } from './faults';
import { SAMPLE_ALERTS, sampleAlerts } from './sample-data';
import type { UserBook } from './user-book';
import type { Bureau, VendorAlert } from './vendor-user';
import { enrollmentBody, faultBody, idParams, newAlertBody, sampleBody, userEnrollmentParams } from './vendor-schemas';

interface OfUser {
  Params: { id: string };
}

interface NewAlert {
  bureau: Bureau;
  class: string;
  detail?: Record<string, unknown>;
}

interface ControlParts {
  appKey: string;
  users: UserBook;
  faults: FaultBook;
  webhooks: SignedWebhooks;
}

/** Registers the routes with which tests and developers control the vendor: faults, users, alerts, enrollments, sample data. */
export function registerVendorControl(app: FastifyInstance, { appKey, users, faults, webhooks }: ControlParts): void {
  app.put<{ Body: Pick<Fault, 'route' | 'fault'> & Partial<Fault> }>(
    '/vendor/faults',
    { schema: { body: faultBody } },
    (request) => faults.set(request.body),
  );
  app.get('/vendor/faults', () => ({ faults: faults.list() }));
  app.get('/vendor/users', () => ({
    users: users.list().map(({ clientKey, createdAt, enrollments }) => ({ clientKey, createdAt, enrollments })),
  }));
  app.post<OfUser & { Body: NewAlert }>(
    '/vendor/users/:id/alerts',
    { schema: { params: idParams, body: newAlertBody } },
    async (request, reply) => {
      const at = new Date().toISOString();
      const [alert] = users.addAlerts(request.params.id, [{ ...request.body, createDate: at, updatedDate: at }]);
      const webhook = await push(webhooks, appKey, request.params.id, alert as VendorAlert);
      return reply.code(201).send({ alertId: alert?.alertId, webhook });
    },
  );
  app.put<{ Params: { id: string; productCode: string }; Body: { status: 'active' | 'cancelled' } }>(
    '/vendor/users/:id/enrollments/:productCode',
    { schema: { params: userEnrollmentParams, body: enrollmentBody } },
    async ({ params: { id, productCode }, body: { status } }) => {
      users.get(id);
      if (status === 'active') users.enroll(id, productCode);
      else users.cancel(id, productCode);
      const method = status === 'active' ? 'post' : 'delete';
      const details = { appKey, clientKey: id, productCode };
      const body = { service: 'monitoring', event: 'enrollment', method, details };
      return { productCode, status, webhook: await webhooks.send({ id: `arr_${randomUUID()}`, body }) };
    },
  );
  app.post<OfUser & { Body?: { alerts?: number } | null }>(
    '/vendor/users/:id/sample-data',
    { schema: { params: idParams, body: sampleBody } },
    (request, reply) => {
      const { id } = request.params;
      const { sampleSince } = users.get(id);
      if (sampleSince !== undefined) return reply.send({ sampleSince });
      const now = new Date();
      users.addAlerts(id, sampleAlerts(request.body?.alerts ?? SAMPLE_ALERTS, now));
      users.startSample(id, now.toISOString());
      return reply.code(201).send({ sampleSince: now.toISOString() });
    },
  );
}

/**
 * Sends the webhook of a new alert, as the vendor does. The alert stays in the vendor's list even when the platform refuses the webhook.
 */
function push(webhooks: SignedWebhooks, appKey: string, clientKey: string, alert: VendorAlert): Promise<WebhookResult> {
  const { alertId, bureau, class: kind } = alert;
  return webhooks.send({
    id: `arr_${randomUUID()}`,
    body: {
      service: 'alerts',
      event: 'push',
      method: 'push',
      details: { appKey, clientKey, bureau: bureau.toUpperCase(), alertType: kind, alertSubType: 'NEW', alertId },
    },
  });
}
