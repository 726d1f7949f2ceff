import { randomBytes, randomUUID } from 'node:crypto';
import type { LoggerService } from '@nestjs/common';
import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { createDataSource } from '@tandem/database';
import { type Answer as ApiAnswer, buffersRead, uniqueId } from '@tandem/testing';
import { InboundWebhook } from '../src/inbound-webhook/inbound-webhook.entity';
import { WebhookRecordRepository } from '../src/webhook-record/webhook-record.repository';
import { purchase, webhook } from './billing-provider';
import { alertPush, unknownWebhook } from './identity-vendor';
import { ARRAY_PATH, IngestApp, SERVICE_KEYS } from './ingest-app';

let ingest: IngestApp;
const lines: Record<string, unknown>[] = [];
const keep = (line: unknown): void => void lines.push(line as Record<string, unknown>);

beforeAll(async () => {
  ingest = await IngestApp.start();
  ingest.running.nest.useLogger({ log: keep, warn: keep, error: keep } as LoggerService);
});
beforeEach(() => void lines.splice(0));
afterAll(() => ingest.stop());

const token = (): Promise<string> =>
  issueServiceToken({
    privateKey: parseServicePrivateKey(SERVICE_KEYS.privateKeyOf('operator')),
    from: 'operator',
    audience: 'webhook-ingest',
    now: new Date(),
  });
const get = (query: string, to = ingest): Promise<ApiAnswer> =>
  to.sendRequest('GET', `/internal/webhooks${query}`, { token: token() });
const show = (id: string, more = ''): Promise<ApiAnswer> => get(`/content?id=${encodeURIComponent(id)}${more}`);
const replay = (body: unknown, to = ingest): Promise<ApiAnswer> =>
  to.sendRequest('POST', '/internal/webhooks/replay', { token: token(), body });
const asked = (...ids: string[]): object => ({ ids, operator: 'jo', reason: 'a test' });

/** Returns the ids of the events that were ever committed to the outbox with this key and topic. */
const eventIds = async (key: string, topic: string): Promise<string[]> => {
  const rows = await ingest.database.query<{ event_id: string }>(
    'select event_id from public.outbox_copy where key = $1 and topic = $2',
    [key, topic],
  );
  return rows.map(({ event_id }) => event_id);
};

describe('/internal/webhooks without a service token', () => {
  it.each(['GET /internal/webhooks', 'GET /internal/webhooks/content?id=a', 'POST /internal/webhooks/replay'])(
    'answers 401 to %s',
    async (request) => {
      const [method, path] = request.split(' ') as [string, string];
      const answer = await ingest.sendRequest(method, path, { body: method === 'POST' ? asked('a') : undefined });
      expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String) } });
    },
  );
});

describe('GET /internal/webhooks', () => {
  it('lists webhooks newest first, page by page, with a filter for each parameter [webhooks.list]', async () => {
    const clientKey = randomUUID();
    const alertIds = [1, 2, 3, 4, 5];
    for (const alertId of alertIds) await ingest.send(alertPush({ clientKey, alertId }), ARRAY_PATH);
    await ingest.send(unknownWebhook({ clientKey }), ARRAY_PATH);
    const body = purchase();
    await ingest.send(body);

    const first = await get(`?user=${clientKey}&outcome=accepted&limit=3`);
    expect(first.body).toMatchObject({ hasMore: true, items: [{ integration: 'array', outcome: 'accepted' }, {}, {}] });
    const second = await get(`?user=${clientKey}&outcome=accepted&limit=3&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ hasMore: false, nextCursor: null });
    const items = [...first.body.items, ...second.body.items] as { id: string; receivedAt: string }[];
    expect(new Set(items.map(({ id }) => id)).size).toBe(alertIds.length);
    expect(items.map(({ receivedAt }) => receivedAt)).toEqual(
      items
        .map((one) => one.receivedAt)
        .sort()
        .reverse(),
    );

    expect((await get(`?user=${clientKey}&outcome=ignored`)).body.items).toEqual([
      expect.objectContaining({ type: 'billing/invoice/post', outcome: 'ignored', user: clientKey, oid: null }),
    ]);
    const { subscriptionId: oid } = body.data;
    const bought = [expect.objectContaining({ id: body.id, oid, user: 'krn:eu:tandem:user:u-1', replayedAt: null })];
    expect((await get(`?oid=${oid}&integration=payments&type=subscription.purchased`)).body.items).toEqual(bought);
    expect((await get(`?oid=${oid}&integration=array`)).body.items).toEqual([]);
    expect((await get(`?oid=${oid}&since=2020-01-01T00:00:00Z&until=2021-01-01T00:00:00Z`)).body.items).toEqual([]);
  });

  it('lists only the webhooks of the last 7 days when no time is given', async () => {
    const body = purchase();
    await ingest.send(body);
    const { subscriptionId: oid } = body.data;
    await ingest.database.query(
      `update ingest.inbound_webhook set received_at = now() - interval '8 days' where id = $1`,
      [body.id],
    );
    expect((await get(`?oid=${oid}`)).body.items).toEqual([]);
    expect((await get(`?oid=${oid}&since=2020-01-01T00:00:00Z`)).body.items).toHaveLength(1);
  });

  it('reads only the webhooks of the given subscription or user, without their bodies', async () => {
    const run = uniqueId('many');
    await ingest.database.query(
      `insert into ingest.inbound_webhook (id, integration, type, received_at, body_encrypted, path, subscription_id, user_id)
       select $1 || n, 'payments', 't', now() - n * interval '1 minute', 'x', '/', $1 || n % 10000, $1 || n % 10000
         from generate_series(1, 50000) n`,
      [run],
    );
    await ingest.database.query('analyze ingest.inbound_webhook');
    const url = ingest.database.urlFor('ingest');
    const options = { url, applicationName: 'list', poolMax: 1, entities: [InboundWebhook] };
    const single = await createDataSource(options).initialize();
    try {
      const webhooks = new WebhookRecordRepository(single);
      const since = new Date(Date.now() - 90 * 86_400_000).toISOString();
      for (const filter of [{ oid: `${run}77` }, { user: `${run}77` }]) {
        const buffers = await buffersRead(single, 'inbound_webhook', async () => {
          const rows = await webhooks.findPage({ ...filter, since }, null, 50);
          expect(rows.map(({ id }) => id)).toEqual([77, 10_077, 20_077, 30_077, 40_077].map((n) => `${run}${n}`));
          for (const row of rows) expect(row).not.toHaveProperty('bodyEncrypted');
        });
        expect(buffers).toBeLessThan(30);
      }
    } finally {
      await single.destroy();
    }
  });

  it('lists, by its subscription, a webhook whose user id is too long for an index', async () => {
    const krn = `krn:${randomBytes(4_000).toString('hex')}:tandem:user:u-1`;
    const body = purchase({ customer: { krn } });
    expect(await ingest.send(body)).toMatchObject({ status: 200 });
    expect((await get(`?oid=${body.data.subscriptionId}`)).body.items).toMatchObject([{ id: body.id, user: krn }]);
  });

  it.each(['?unknown=1', '?limit=0', '?limit=501', '?integration=sms', '?since=yesterday', '?cursor=abc'])(
    'answers 400 to %s',
    async (query) => {
      expect(await get(query)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
    },
  );
});

describe('GET /internal/webhooks/content', () => {
  it('shows the body with personal data masked, and the events that result from the webhook [webhooks.show]', async () => {
    const body = purchase({ id: `evt/äöü %?#${randomUUID()}` });
    await ingest.send(body);
    const answer = await show(body.id);
    expect(answer.body).toMatchObject({
      id: body.id,
      events: [
        { topic: 'payment.received', eventId: (await eventIds(body.data.subscriptionId, 'payment.received'))[0] },
        { topic: 'enrollment.sync' },
      ],
      body: { data: { customer: { email: 'J***e@example.com' }, couponCode: '***', amount: '99.90' } },
    });
    expect(answer.text).not.toMatch(/Jane\.Doe|ABCD-EFGH/);
    expect(lines.filter(({ msg }) => msg === 'webhook.revealed')).toEqual([]);
  });

  it('shows the unmasked body to an operator who gives a reason, and logs the operator and the reason [webhooks.show]', async () => {
    const body = purchase();
    await ingest.send(body);
    const answer = await show(body.id, '&operator=jo&reason=a%20test');
    expect(answer.body.body).toEqual(body);
    expect(lines.filter(({ msg }) => msg === 'webhook.revealed')).toEqual([
      { msg: 'webhook.revealed', webhook: body.id, operator: 'jo', reason: 'a test' },
    ]);
    expect((await show(body.id, '&operator=jo')).body.body).not.toEqual(body);
  });

  it('answers 404 for an unknown id', async () => {
    expect(await show('nothing')).toMatchObject({ status: 404, body: { error: expect.any(String) } });
  });
});

describe('POST /internal/webhooks/replay', () => {
  it('publishes the events again under the same ids, and logs the operator and the reason [webhooks.replay]', async () => {
    const body = purchase();
    await ingest.send(body);
    const { subscriptionId } = body.data;
    const [payment] = await eventIds(subscriptionId, 'payment.received');
    lines.splice(0);
    const answer = await replay(asked(body.id, body.id));
    expect(answer.body.items).toEqual([
      {
        id: body.id,
        outcome: 'published',
        events: [
          { topic: 'payment.received', eventId: payment },
          { topic: 'enrollment.sync', eventId: expect.any(String) },
        ],
      },
    ]);
    expect(await eventIds(subscriptionId, 'payment.received')).toEqual([payment, payment]);
    expect((await show(body.id)).body.replayedAt).toEqual(expect.any(String));
    expect(lines).toEqual([
      {
        msg: 'webhook.replayed',
        webhook: body.id,
        outcome: 'published',
        eventId: payment,
        operator: 'jo',
        reason: 'a test',
      },
    ]);
  });

  it('publishes an alert again with the same data and the same event id', async () => {
    const body = alertPush();
    const { clientKey } = body.details;
    await ingest.send(body, ARRAY_PATH);
    const [row] = await ingest.storedOf(clientKey);
    await replay(asked(String(row?.['id'])));
    const [first, again] = await ingest.identityEvents(clientKey);
    expect(again).toEqual(first);
    expect(new Set(await eventIds(clientKey, 'identity.event')).size).toBe(1);
  });

  it('publishes a webhook whose type is known now but was unknown when it arrived [webhooks.replay]', async () => {
    const body = alertPush();
    const { clientKey } = body.details;
    await ingest.send(body, ARRAY_PATH);
    await ingest.database.query(
      `with was as (update ingest.inbound_webhook set is_ignored = true where user_id = $1)
       delete from public.outbox_copy where key = $1`,
      [clientKey],
    );
    const [row] = await ingest.storedOf(clientKey);
    expect((await replay(asked(String(row?.['id'])))).body.items).toMatchObject([{ outcome: 'published' }]);
    expect(await ingest.identityEvents(clientKey)).toHaveLength(1);
    expect((await show(String(row?.['id']))).body.outcome).toBe('accepted');
  });

  it('reports why some webhooks cannot be published, and publishes the others', async () => {
    const [good, unreadable] = [purchase(), purchase()];
    const unknown = webhook('subscription.paused', {});
    for (const body of [good, unreadable, unknown]) await ingest.send(body);
    await ingest.database.query(`update ingest.inbound_webhook set body_encrypted = 'k9.x' where id = $1`, [
      unreadable.id,
    ]);
    const answer = await replay(asked('missing', unknown.id, unreadable.id, good.id));
    const outcomes = (answer.body.items as { id: string; outcome: string }[]).map(({ id, outcome }) => [id, outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({
      missing: 'not_found',
      [unknown.id]: 'ignored',
      [unreadable.id]: 'unreadable',
      [good.id]: 'published',
    });
    expect(await eventIds(good.data.subscriptionId, 'payment.received')).toHaveLength(2);
    expect((await show(unreadable.id)).body).toMatchObject({ body: null, events: [] });
  });

  it('does not publish a webhook of the vendor whose appKey is no longer the key of the platform', async () => {
    const clientKey = randomUUID();
    await ingest.send(alertPush({ clientKey }), ARRAY_PATH);
    const [{ id } = { id: '' }] = (await ingest.storedOf(clientKey)) as { id: string }[];
    await ingest.withReplica({ VENDOR_APP_KEY: 'the-next-key' }, async (replica) => {
      expect((await replay(asked(id), replica)).body.items).toMatchObject([{ id, outcome: 'unreadable', events: [] }]);
    });
    expect((await replay(asked(id))).body.items).toMatchObject([{ id, outcome: 'published' }]);
  });

  it.each<[string, unknown]>([
    ['a request without an operator', { ids: ['a'], reason: 'r' }],
    ['a request without a reason', { ids: ['a'], operator: 'o' }],
    ['an empty list of ids', { ...asked(), ids: [] }],
    ['a list of 101 ids', asked(...Array.from({ length: 101 }, String))],
    ['broken JSON', '{'],
  ])('answers 400 to %s', async (_name, body) => {
    expect(await replay(body)).toMatchObject({ status: 400, body: { error: expect.any(String) } });
  });

  it('publishes each event under one id even when two replicas replay a webhook concurrently', () =>
    ingest.withReplica({}, async (other) => {
      const body = purchase();
      await ingest.send(body);
      await Promise.all([replay(asked(body.id)), replay(asked(body.id), other)]);
      const ids = await eventIds(body.data.subscriptionId, 'payment.received');
      expect(ids).toHaveLength(3);
      expect(new Set(ids).size).toBe(1);
    }));
});
