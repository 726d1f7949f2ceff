import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { LoggerService } from '@nestjs/common';
import { newWebhookSecret } from '@tandem/auth';
import { purchase, signedHeaders, webhook } from './billing-provider';
import { alertPush } from './identity-vendor';
import { ARRAY_PATH, IngestApp, PAYMENT_PATH, secret } from './ingest-app';

let ingest: IngestApp;
const lines: unknown[] = [];
const keep = (...parts: unknown[]): void => void lines.push(...parts);
const logger: LoggerService = { log: keep, warn: keep, error: keep, debug: keep, verbose: keep };

beforeAll(async () => {
  ingest = await IngestApp.start();
  ingest.running.nest.useLogger(logger);
});
beforeEach(() => void lines.splice(0));
afterAll(() => ingest.stop());

type Line = { msg?: unknown };

const canonical = (): unknown[] => lines.filter((line) => (line as Line).msg === 'webhook.received');

describe('the log of a webhook', () => {
  it.each<[string, () => object | string, object]>([
    [
      'accepted',
      () => purchase({ id: 'evt_logged', data: { subscriptionId: 'sub_logged' } }),
      { outcome: 'accepted', webhook: 'evt_logged', type: 'subscription.purchased', oid: 'sub_logged' },
    ],
    ['a duplicate', () => purchase({ id: 'evt_logged' }), { outcome: 'duplicate', webhook: 'evt_logged' }],
    [
      'of an unknown type',
      () => webhook('other', {}, { id: 'evt_other' }),
      { outcome: 'ignored', webhook: 'evt_other', type: 'other' },
    ],
    [
      'invalid',
      () => purchase({ data: { amount: 5 } }),
      { outcome: 'invalid', problems: expect.stringContaining('data.amount') },
    ],
  ])('is one line when the webhook is %s', async (_name, body, line) => {
    await ingest.send(body());
    expect(canonical()).toEqual([expect.objectContaining({ path: PAYMENT_PATH, ...line })]);
  });

  it('contains a KRN only if the webhook contains a KRN', async () => {
    const krn = 'krn:tandem:test:user:logged';
    await ingest.send(purchase({ customer: { krn } }));
    await ingest.send(purchase({ customer: { krn: undefined } }));
    expect(canonical()).toEqual([expect.objectContaining({ krn }), expect.not.objectContaining({ krn })]);
  });

  it('contains the id of the event payment.received', async () => {
    const body = purchase();
    await ingest.send(body);
    const [event] = await ingest.database.query<{ event_id: string }>(
      `select event_id from public.outbox_copy where topic = 'payment.received' and data ->> 'paymentId' = $1`,
      [body.id],
    );
    expect(canonical()).toEqual([expect.objectContaining({ eventId: event?.event_id })]);
  });

  it('is one line for a webhook of the identity vendor, with its user and type but nothing else from its body', async () => {
    const { details, ...envelope } = alertPush();
    const body = { ...envelope, details: { ...details, alertType: 'NEEDLE' } };
    for (let times = 0; times < 2; times++) await ingest.send(body, ARRAY_PATH);
    const [event] = await ingest.database.query<{ event_id: string }>(
      'select event_id from public.outbox_copy where key = $1',
      [details.clientKey],
    );
    const line = { integration: 'array', type: 'alerts/push/push', arrayUserId: details.clientKey, path: ARRAY_PATH };
    expect(canonical()).toEqual([
      { msg: 'webhook.received', ...line, outcome: 'accepted', webhook: expect.any(String), eventId: event?.event_id },
      { msg: 'webhook.received', ...line, outcome: 'duplicate' },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/NEEDLE|app-key|4711/);
  });

  it('is one line with the reason when the caller is unauthorized', async () => {
    await ingest.post(PAYMENT_PATH, '{}', {});
    expect(canonical()).toEqual([
      {
        msg: 'webhook.received',
        outcome: 'unauthorized',
        integration: 'payments',
        reason: 'no_credentials',
        path: PAYMENT_PATH,
      },
    ]);
  });

  it.each([
    ['signature_mismatch', new Date()],
    ['signature_timestamp_too_old', new Date(Date.now() - 3_600_000)],
  ])('names %s as the reason when the signature is refused', async (reason, timestamp) => {
    await ingest.post(PAYMENT_PATH, '{}', signedHeaders('{}', [newWebhookSecret()], { timestamp }));
    expect(canonical()).toMatchObject([{ outcome: 'unauthorized', reason }]);
  });

  it('never contains the body, an e-mail address or a secret', async () => {
    const needle = 'needle.person';
    await ingest.send(purchase({ customer: { email: `${needle}@example.com` } }));
    await ingest.send(purchase({ customer: { email: `${needle}` } }));
    await ingest.send(`{"email":"${needle}"`);
    await ingest.post(PAYMENT_PATH, JSON.stringify({ needle }), { authorization: `Bearer ${needle}` });
    await ingest.post(PAYMENT_PATH, '{}', { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': needle });
    const text = JSON.stringify(lines);
    expect(text).toContain('webhook.received');
    expect(text).not.toContain(needle);
    expect(text).not.toContain(secret.slice(6));
  });

  it('reports no internal error when the caller disconnects in the middle of the body', async () => {
    const body = Buffer.from(JSON.stringify(purchase()));
    const before = await ingest.counts();
    const { hostname, port } = new URL(ingest.running.url);
    const socket = connect(Number(port), hostname);
    const closed = once(socket, 'close');
    const headers = { ...signedHeaders(body, [secret]), 'content-type': 'application/json', host: hostname };
    const head = Object.entries({ ...headers, 'content-length': body.length }).map(
      ([name, value]) => `${name}: ${value}`,
    );
    socket.write(`POST ${PAYMENT_PATH} HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n`);
    socket.write(body.subarray(0, 100));
    await setTimeout(200);
    socket.resetAndDestroy();
    await closed;
    await setTimeout(200);
    // The app must still accept webhooks.
    expect((await ingest.send(purchase({ id: 'evt_after' }))).status).toBe(200);
    const failed = lines.filter((line) => ['request.failed', 'unexpected error'].includes(String((line as Line).msg)));
    expect(failed).toEqual([]);
    // The two events are payment.received and enrollment.sync.
    expect(await ingest.counts()).toEqual({ webhooks: before.webhooks + 1, events: before.events + 2 });
  });
});
