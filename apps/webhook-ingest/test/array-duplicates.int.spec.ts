import { randomUUID } from 'node:crypto';
import { ArrayWebhookReader } from '../src/array-webhook/array-webhook-reader';
import { InboundWebhookService } from '../src/inbound-webhook/inbound-webhook.service';
import { signedHeaders } from './billing-provider';
import { alertPush, authentication, monitoring, unknownWebhook } from './identity-vendor';
import { ARRAY_PATH, arraySecret, IngestApp } from './ingest-app';

let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start();
});
afterAll(() => ingest.stop());

const WINDOW_MS = 7 * 86_400_000;
const ACCEPTED = { status: 200, body: { received: true } };

/** Sends a webhook, and checks that the answer is 200. If no `webhook-id` is given, a new one is used. */
async function send(body: object, id?: string, to = ingest): Promise<void> {
  const bytes = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', ...signedHeaders(bytes, [arraySecret], { id }) };
  expect(await to.post(ARRAY_PATH, bytes, headers)).toMatchObject(ACCEPTED);
}

const typesOf = async (clientKey: string): Promise<string[]> =>
  (await ingest.identityEvents(clientKey)).map(({ type }) => type);

/** Makes all claims in the database older by the given time. */
const age = (ms: number): Promise<unknown> =>
  ingest.database.query(`update ingest.webhook_claim set claimed_at = claimed_at - $1 * interval '1 millisecond'`, [
    ms,
  ]);

describe('POST /idp/array/webhook with a repeated webhook', () => {
  it('answers 200, and stores and publishes the webhook only once [webhooks.array-duplicate]', async () => {
    const body = alertPush();
    await send(body);
    await send({ ...body, path: '/v2', details: { ...body.details, note: 'new' } });
    await send({ ...body, details: { ...body.details, bureau: 'exp', alertId: String(body.details.alertId) } });
    const { clientKey } = body.details;
    expect(await ingest.storedOf(clientKey)).toHaveLength(1);
    expect(await typesOf(clientKey)).toEqual(['alert_pushed']);
  });

  it.each(['clientKey', 'bureau', 'alertType', 'alertSubType', 'alertId'])(
    'stores and publishes an alert that differs from a stored alert in its %s',
    async (name) => {
      const body = alertPush();
      await send(body);
      const { clientKey } = body.details;
      const before = await ingest.counts();
      await send(alertPush({ ...body.details, clientKey, [name]: name === 'alertId' ? 4712 : randomUUID() }));
      expect(await ingest.counts()).toEqual({ webhooks: before.webhooks + 1, events: before.events + 1 });
    },
  );

  it('treats a repeated webhook as new after 7 days, and as a duplicate before that [webhooks.array-window]', async () => {
    const body = alertPush();
    const { clientKey } = body.details;
    await send(body);
    await age(WINDOW_MS - 5_000);
    await send(body);
    expect(await typesOf(clientKey)).toHaveLength(1);
    await age(5_000);
    await send(body);
    expect(await typesOf(clientKey)).toHaveLength(2);
    await send(body);
    expect(await typesOf(clientKey)).toHaveLength(2);
  });

  it('publishes one event for 20 concurrent copies at two replicas, and a second for copies after the window [webhooks.array-duplicate]', () =>
    ingest.withReplica({}, async (other) => {
      const body = alertPush();
      const { clientKey } = body.details;
      for (const count of [1, 2]) {
        await Promise.all(Array.from({ length: 20 }, (_, index) => send(body, undefined, index % 2 ? ingest : other)));
        expect(await ingest.storedOf(clientKey)).toHaveLength(count);
        expect(await typesOf(clientKey)).toHaveLength(count);
        await age(WINDOW_MS);
      }
    }));

  it('publishes three events for an enrollment that is cancelled, started and cancelled again [webhooks.array-sequence]', async () => {
    const clientKey = randomUUID();
    for (const method of ['delete', 'post', 'delete']) await send(monitoring(method, clientKey));
    expect(await typesOf(clientKey)).toEqual(['enrollment_cancelled', 'enrollment_started', 'enrollment_cancelled']);
    await send(monitoring('delete', clientKey, 'OTHER'));
    expect(await typesOf(clientKey)).toHaveLength(4);
  });

  it('publishes a second consecutive cancellation if its webhook-id is different [webhooks.array-sequence]', async () => {
    const clientKey = randomUUID();
    await send(monitoring('delete', clientKey), 'msg_1');
    await send(monitoring('delete', clientKey), 'msg_1');
    await send(monitoring('delete', clientKey), 'msg_2');
    expect(await typesOf(clientKey)).toEqual(['enrollment_cancelled', 'enrollment_cancelled']);
  });

  it('treats a late retry as a duplicate, and the next change of the enrollment as new [webhooks.array-sequence]', async () => {
    const clientKey = randomUUID();
    await send(monitoring('delete', clientKey), 'msg_a');
    await send(monitoring('post', clientKey), 'msg_b');
    await send(monitoring('delete', clientKey), 'msg_a');
    await send(monitoring('post', clientKey), 'msg_b');
    expect(await typesOf(clientKey)).toEqual(['enrollment_cancelled', 'enrollment_started']);
    await send(monitoring('delete', clientKey), 'msg_c');
    expect(await typesOf(clientKey)).toEqual(['enrollment_cancelled', 'enrollment_started', 'enrollment_cancelled']);
  });

  /** Returns a function that stores a webhook about an enrollment, as if the webhook had been received `afterMs` ms after `began`. */
  const receiver = (clientKey: string, began: number) => (method: string, afterMs: number) => {
    const { nest } = ingest.running;
    const rawBody = Buffer.from(JSON.stringify(monitoring(method, clientKey)));
    const webhook = { path: ARRAY_PATH, rawBody, webhookId: null, receivedAt: new Date(began + afterMs) };
    return nest.get(InboundWebhookService).receive(nest.get(ArrayWebhookReader), webhook);
  };

  it('publishes each change of an enrollment although the clock of one replica is ahead [webhooks.array-sequence]', async () => {
    const clientKey = randomUUID();
    const receive = receiver(clientKey, Date.now());
    await receive('delete', 90_000);
    await receive('post', 10_000);
    await receive('delete', 20_000);
    expect((await typesOf(clientKey)).sort()).toEqual([
      'enrollment_cancelled',
      'enrollment_cancelled',
      'enrollment_started',
    ]);
  });

  it('compares a webhook with the webhook that was received last, not with the webhook that was stored last [webhooks.array-sequence]', async () => {
    const clientKey = randomUUID();
    const began = Date.now() - 1_000;
    const receive = receiver(clientKey, began);
    await receive('post', 10);
    // Simulates a webhook that another replica received before the first one, but stored later.
    await receive('delete', 0);
    await receive('delete', 20);
    const times = (await ingest.identityEvents(clientKey)).map(({ type, receivedAt }) => [
      type,
      Date.parse(receivedAt) - began,
    ]);
    expect(times).toEqual([
      ['enrollment_cancelled', 0],
      ['enrollment_started', 10],
      ['enrollment_cancelled', 20],
    ]);
  });

  it('stores and publishes a different body with the same webhook-id', async () => {
    const clientKey = randomUUID();
    await send(monitoring('delete', clientKey), 'msg_same');
    await send(monitoring('post', clientKey), 'msg_same');
    expect(await typesOf(clientKey)).toEqual(['enrollment_cancelled', 'enrollment_started']);
  });

  it('publishes three events for an identity that is verified, refused and verified again', async () => {
    const clientKey = randomUUID();
    for (const event of ['200', 200, '401', '200']) await send(authentication(event, clientKey));
    expect(await typesOf(clientKey)).toEqual(['identity_verified', 'identity_refused', 'identity_verified']);
  });

  it('stores a webhook of an unknown type only once, whatever the order of its fields', async () => {
    const clientKey = randomUUID();
    await send(unknownWebhook({ clientKey, a: 1, b: { c: 2, d: 3 } }));
    await send(unknownWebhook({ b: { d: 3, c: 2 }, a: 1, clientKey }));
    expect(await ingest.storedOf(clientKey)).toHaveLength(1);
    await send(unknownWebhook({ clientKey, a: 2 }));
    expect(await ingest.storedOf(clientKey)).toHaveLength(2);
  });

  it('causes no deadlock when two replicas receive the same webhooks in opposite orders', () =>
    ingest.withReplica({}, async (replica) => {
      const users = Array.from({ length: 40 }, () => randomUUID());
      const bodies = users.flatMap((user) => [alertPush({ clientKey: user }), monitoring('delete', user)]);
      const ids = bodies.map(() => `msg_${randomUUID()}`);
      const reversed = [...bodies.keys()].reverse();
      await Promise.all([
        ...bodies.map((body, index) => send(body, ids[index])),
        ...reversed.map((index) => send(bodies[index] as object, ids[index], replica)),
      ]);
      for (const user of users) expect((await typesOf(user)).sort()).toEqual(['alert_pushed', 'enrollment_cancelled']);
    }));
});
