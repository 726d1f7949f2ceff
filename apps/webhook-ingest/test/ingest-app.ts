import { randomBytes } from 'node:crypto';
import { CheckoutTokens, newWebhookSecret } from '@tandem/auth';
import type { IdentityEvent, PaymentReceived } from '@tandem/contracts';
import { FieldCipher } from '@tandem/database';
import { BUS_SCHEMA } from '@tandem/messaging';
import { bootstrap, migrateApps, type RunningApp } from '@tandem/service-defaults';
import {
  AppUnderTest,
  createTestDatabase,
  templateOf,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  TestServiceKeys,
} from '@tandem/testing';
import { Client } from 'pg';
import { app } from '../src/app';
import { bodyBinding } from '../src/inbound-webhook/inbound-webhook.rules';
import type { IntegrationName } from '../src/inbound-webhook/integration';
import { SCHEMA } from '../src/migrations';
import { signedHeaders } from './billing-provider';
import { APP_KEY } from './identity-vendor';

export const PAYMENT_PATH = '/idp/payments/webhook';
export const PLAN_CHANGE_PATH = '/idp/payments/webhook/plan-change';
export const ARRAY_PATH = '/idp/array/webhook';

/** The parts of an answer that tests check. */
export interface Answer {
  status: number;
  body: unknown;
  headers: Headers;
}

/** The secrets and keys with which the app under test is started. */
export const secret = newWebhookSecret();
export const previousSecret = newWebhookSecret();
export const arraySecret = newWebhookSecret();
export const previousArraySecret = newWebhookSecret();
export const SERVICE_KEYS = new TestServiceKeys('operator');
export const emailHashKey = randomBytes(32);
export const couponHashKey = randomBytes(32);
const checkoutKeys = `k1:${randomBytes(32).toString('base64')}`;
export const checkoutTokens = new CheckoutTokens(checkoutKeys);
const encryptionKey = randomBytes(32).toString('base64');

/** The environment variables of the app under test, without those of its database. */
export const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  NODE_ENV: 'test',
  PORT: '0',
  LOG_LEVEL: 'silent',
  PAYMENTS_WEBHOOK_SECRETS: `${secret}, ${previousSecret}`,
  ARRAY_WEBHOOK_SECRETS: `${arraySecret},${previousArraySecret}`,
  VENDOR_APP_KEY: APP_KEY,
  SERVICE_PUBLIC_KEYS: SERVICE_KEYS.publicKeysOf(),
  FIELD_ENCRYPTION_KEYS: `k1:${encryptionKey}`,
  EMAIL_HASH_KEY: emailHashKey.toString('base64'),
  COUPON_HASH_KEY: couponHashKey.toString('base64'),
  CHECKOUT_SIGNING_KEYS: checkoutKeys,
  ...more,
});

/**
 * Migrates a database in the same way as a deployment does. Also adds a trigger that copies each row of the outbox to `outbox_copy`, in the
 * transaction that writes the row. The relay soon empties the outbox, but the copy keeps every event that was ever committed to the outbox.
 */
export async function prepareDatabase(superuserUrl: string): Promise<void> {
  const apps = [{ app: 'webhook-ingest', schema: SCHEMA, rolePassword: TEST_ROLE_PASSWORD }];
  await migrateApps({ superuserUrl, bus: 'postgres', apps });
  const client = new Client({ connectionString: superuserUrl });
  await client.connect();
  try {
    await client.query(`
      create table public.outbox_copy (event_id uuid, topic text, key text, data json, headers json);
      create function public.copy_outbox() returns trigger language plpgsql security definer as $$
        begin
          insert into public.outbox_copy values (new.event_id, new.topic, new.key, convert_from(new.payload, 'UTF8')::json, new.headers);
          return null;
        end $$;
      create trigger copy after insert on ingest.outbox for each row execute function public.copy_outbox();`);
  } finally {
    await client.end();
  }
}

/** Runs the app with its own database. */
export class IngestApp extends AppUnderTest<RunningApp> {
  static async start(more: NodeJS.ProcessEnv = {}): Promise<IngestApp> {
    const template = templateOf('webhook-ingest', BUS_SCHEMA.migrations, SCHEMA.migrations, prepareDatabase);
    return IngestApp.on(await createTestDatabase({ template, prepare: prepareDatabase }), more);
  }

  private static async on(database: TestDatabase, more: NodeJS.ProcessEnv): Promise<IngestApp> {
    const env = environment({ DATABASE_URL: database.urlFor('ingest'), ...more });
    return new IngestApp(await bootstrap(app, env), database, 'ingest');
  }

  /** Runs `work` with another replica of the app on the same database. The replica can have a different configuration. */
  async withReplica(more: NodeJS.ProcessEnv, work: (replica: IngestApp) => Promise<void>): Promise<void> {
    const replica = await IngestApp.on(this.database, more);
    try {
      await work(replica);
    } finally {
      await replica.running.close();
    }
  }

  /** Sends a body unchanged, with the given headers and the headers that fetch adds. */
  async post(path: string, body: string | Buffer, headers: Record<string, string>): Promise<Answer> {
    return postTo(this.running.url + path, body, headers);
  }

  /** Sends a body, signed with the current secret of the integration that calls the path. */
  async send(
    body: object | string | Buffer,
    path = PAYMENT_PATH,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const key = path === ARRAY_PATH ? arraySecret : secret;
    const signed = { 'content-type': 'application/json', ...signedHeaders(bytes, [key]) };
    return this.post(path, bytes, { ...signed, ...headers });
  }

  /** Returns the stored webhooks with this id, with their bodies decrypted. */
  async stored(id: string): Promise<Record<string, unknown>[]> {
    return this.storedWhere('id = $1', id);
  }

  /** Returns the stored webhooks of a user of the identity vendor, in the order of their arrival. */
  async storedOf(arrayUserId: string): Promise<Record<string, unknown>[]> {
    return this.storedWhere(`integration = 'array' and user_id = $1`, arrayUserId);
  }

  private async storedWhere(condition: string, value: string): Promise<Record<string, unknown>[]> {
    const cipher = new FieldCipher(`k1:${encryptionKey}`);
    const rows = await this.database.query<{ id: string; integration: IntegrationName; body_encrypted: string }>(
      `select * from ingest.inbound_webhook where ${condition} order by received_at, id`,
      [value],
    );
    return rows.map(({ body_encrypted, ...row }) => ({
      ...row,
      body: cipher.decrypt(body_encrypted, bodyBinding(row)),
    }));
  }

  /**
   * Returns the data of all events that were ever committed to the outbox for a user of the identity vendor, in the order of their ids.
   */
  async identityEvents(arrayUserId: string): Promise<IdentityEvent[]> {
    const rows = await this.database.query<{ data: IdentityEvent }>(
      `select data from public.outbox_copy where topic = 'identity.event' and key = $1 order by event_id`,
      [arrayUserId],
    );
    return rows.map(({ data }) => data);
  }

  /** Returns the `payment.received` events that were ever committed to the outbox for a webhook. */
  async events(id: string): Promise<{ topic: string; key: string; data: PaymentReceived }[]> {
    return this.database.query(`select topic, key, data from public.outbox_copy where data ->> 'paymentId' = $1`, [id]);
  }

  /** Returns the trace ids of the `payment.received` events that were ever committed to the outbox for a webhook. */
  async traces(id: string): Promise<unknown[]> {
    const rows = await this.database.query<{ trace: string }>(
      `select split_part(headers ->> 'traceparent', '-', 2) as trace
         from public.outbox_copy where data ->> 'paymentId' = $1`,
      [id],
    );
    return rows.map(({ trace }) => trace);
  }

  /** Counts all stored webhooks, and all events that were ever committed to the outbox. */
  async counts(): Promise<{ webhooks: number; events: number }> {
    const [row] = await this.database.query<{ webhooks: number; events: number }>(
      `select (select count(*)::int from ingest.inbound_webhook) as webhooks, (select count(*)::int from public.outbox_copy) as events`,
    );
    return row as { webhooks: number; events: number };
  }

  /**
   * Checks the answer, the stored row and the events of a webhook:
   * - `accepted`: it was answered 200, stored once with exactly its bytes, and published as one `payment.received`
   * - `ignored`: it was answered and stored in the same way, but not published
   *
   * @returns the data of the event; undefined with `ignored`
   */
  async expectStored(
    answer: Answer,
    sent: { id: string; type: string },
    bytes: string,
    outcome: 'accepted' | 'ignored',
  ) {
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: { received: true } });
    expect(await this.stored(sent.id)).toEqual([
      expect.objectContaining({ id: sent.id, type: sent.type, body: bytes }),
    ]);
    const events = await this.events(sent.id);
    expect(events).toHaveLength(outcome === 'accepted' ? 1 : 0);
    for (const { topic, key, data } of events) {
      expect({ topic, key }).toEqual({ topic: 'payment.received', key: data.subscriptionId });
    }
    return events[0]?.data;
  }

  /**
   * Runs `work`, and checks that it is refused with this status and a body `{"error"}`, and that neither a webhook nor an event was stored.
   */
  async expectRefused(work: () => Promise<Answer>, status: number, error?: string | RegExp): Promise<Answer> {
    const before = await this.counts();
    const answer = await work();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.body).toEqual({ error: error ? expect.stringMatching(error) : expect.any(String) });
    expect(await this.counts()).toEqual(before);
    return answer;
  }
}

/** Sends one POST request over real HTTP. */
export async function postTo(url: string, body: string | Buffer, headers: Record<string, string>): Promise<Answer> {
  // The body is sent as bytes, because fetch would add a `Content-Type` header for a string.
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const response = await fetch(url, { method: 'POST', body: new Uint8Array(bytes), headers });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
}
