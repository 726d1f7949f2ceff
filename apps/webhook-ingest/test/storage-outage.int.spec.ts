import { urlForRole } from '@tandem/database';
import { bootstrap, type RunningApp } from '@tandem/service-defaults';
import { eventually, startPostgresServer, TEST_ROLE_PASSWORD } from '@tandem/testing';
import { Client } from 'pg';
import { app } from '../src/app';
import { purchase, signedHeaders } from './billing-provider';
import { alertPush } from './identity-vendor';
import {
  type Answer,
  ARRAY_PATH,
  arraySecret,
  environment,
  PAYMENT_PATH,
  postTo,
  prepareDatabase,
  secret,
} from './ingest-app';

let postgres: Awaited<ReturnType<typeof startPostgresServer>>;
let running: RunningApp;

beforeAll(async () => {
  postgres = await startPostgresServer();
  await prepareDatabase(postgres.url);
  running = await bootstrap(app, environment({ DATABASE_URL: urlForRole(postgres.url, 'ingest', TEST_ROLE_PASSWORD) }));
}, 60_000);

afterAll(async () => {
  await running.close();
  await postgres.stop();
}, 30_000);

const sendTo = (path: string, key: string, body: object): Promise<Answer> => {
  const bytes = JSON.stringify(body);
  return postTo(running.url + path, bytes, { 'content-type': 'application/json', ...signedHeaders(bytes, [key]) });
};
const send = (body: object): Promise<Answer> => sendTo(PAYMENT_PATH, secret, body);
const pushAlert = (body: object): Promise<Answer> => sendTo(ARRAY_PATH, arraySecret, body);

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const storedIds = async (): Promise<unknown[]> =>
  (
    await query(`select e.id from ingest.inbound_webhook e join public.outbox_copy o on o.data ->> 'paymentId' = e.id`)
  ).map(({ id }) => id);

describe('POST /idp/payments/webhook while Postgres is down', () => {
  it('answers 503 with Retry-After, and loses no webhook that it has accepted [webhooks.outage]', async () => {
    const before = purchase();
    expect((await send(before)).status).toBe(200);

    await postgres.kill();
    const during = purchase();
    const refused = await send(during);
    expect(refused).toMatchObject({ status: 503, body: { error: expect.any(String) } });
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const alert = alertPush();
    const alertRefused = await pushAlert(alert);
    expect(alertRefused).toMatchObject({ status: 503, body: { error: expect.any(String) } });
    expect(alertRefused.headers.get('retry-after')).toMatch(/^\d+$/);
    // Unauthenticated callers and invalid bodies are still refused with 401 and 400, because this does not need the database.
    expect((await postTo(running.url + PAYMENT_PATH, '{}', {})).status).toBe(401);
    expect((await send({ id: 5 })).status).toBe(400);

    await postgres.start();
    await eventually(async () => expect((await send(during)).status).toBe(200), { timeoutMs: 30_000 });
    expect((await storedIds()).sort()).toEqual([before.id, during.id].sort());
    expect((await pushAlert(alert)).status).toBe(200);
    const events = await query(`select 1 from public.outbox_copy where key = '${alert.details.clientKey}'`);
    expect(events).toHaveLength(1);
  }, 90_000);

  it('loses neither a webhook that was answered 200 nor its payment.received when Postgres is killed under load', async () => {
    const accepted = new Set<string>();
    const unanswered = new Set<string>();
    let sending = true;
    const sender = async (): Promise<void> => {
      while (sending) {
        const body = purchase();
        const { status } = await send(body);
        (status === 200 ? accepted : unanswered).add(body.id);
      }
    };
    const senders = Array.from({ length: 8 }, sender);
    try {
      await eventually(() => expect(accepted.size).toBeGreaterThan(100), { timeoutMs: 30_000 });
      await postgres.kill();
      await eventually(() => expect(unanswered.size).toBeGreaterThan(8));
    } finally {
      sending = false;
      await Promise.all(senders);
    }

    await postgres.start();
    const stored = new Set(await eventually(storedIds, { timeoutMs: 30_000 }));
    expect([...accepted].filter((id) => !stored.has(id))).toEqual([]);
    // A commit may have succeeded although its answer was lost. The provider's retry then counts as a duplicate. This loses nothing,
    // because the row and its event were committed together.
    const [orphans] = await query(
      `select count(*)::int as count from ingest.inbound_webhook e
       where integration = 'payments' and not exists (select 1 from public.outbox_copy o where o.data ->> 'paymentId' = e.id)`,
    );
    expect(orphans).toEqual({ count: 0 });
  }, 90_000);
});
