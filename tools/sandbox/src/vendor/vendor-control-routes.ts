import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { addAlert, type AlertParts, type NewAlert } from './new-alert';
import type { Fault, FaultBook } from './faults';
import { SAMPLE_ALERTS, sampleAlerts } from './sample-data';
import { enrollmentBody, faultBody, idParams, newAlertBody, sampleBody, userEnrollmentParams } from './vendor-schemas';

interface OfUser {
  Params: { id: string };
}

/** The parts of the sandbox that the control routes of the vendor use. */
export interface ControlParts extends AlertParts {
  faults: FaultBook;
}

/** Registers the routes with which tests and developers control the vendor: faults, users, alerts, enrollments, sample data. */
export function registerVendorControl(app: FastifyInstance, parts: ControlParts): void {
  const { appKey, users, faults, webhooks } = parts;
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
    async (request, reply) => reply.code(201).send(await addAlert(parts, request.params.id, request.body)),
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
