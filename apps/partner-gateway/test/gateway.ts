import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import {
  PAYMENT_RECEIVED,
  type PaymentReceived,
  SALE_CLOSED,
  SALE_COMPLETED,
  type SaleClosed,
  type SaleCompleted,
} from '@tandem/contracts';
import { isRetryableConflict } from '@tandem/database';
import { BUS_SCHEMA, EventBatch, Outbox, type ReceivedEvent } from '@tandem/messaging';
import { bootstrap, migrateApps, type RunningApp } from '@tandem/service-defaults';
import {
  type Answer as AnyAnswer,
  AppUnderTest,
  createTestDatabase,
  eventually,
  JsonServer,
  keepLocks,
  type RequestOptions,
  templateOf,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  TestServiceKeys,
  uniqueId,
} from '@tandem/testing';
import { SignJWT } from 'jose';
import { DataSource, type EntityManager } from 'typeorm';
import { app } from '../src/app';
import { SCHEMA } from '../src/migrations';
import { SaleService } from '../src/sale/sale.service';

const KEYS = generateKeyPairSync('ed25519');
export const SERVICE_KEYS = new TestServiceKeys('partner-gateway');
const secret = (bytes = 32): string => randomBytes(bytes).toString('base64');

export const EMAIL_HASH_KEY = secret();

/** Runs partner-gateway with its own database, an issuer of managers' tokens, and stand-ins for postback-dispatcher and voucher-service. */
export class Gateway extends AppUnderTest<RunningApp> {
  private constructor(
    running: RunningApp,
    database: TestDatabase,
    readonly env: NodeJS.ProcessEnv,
    readonly issuer: JsonServer,
    readonly dispatcher: JsonServer,
    readonly vouchers: JsonServer,
  ) {
    super(running, database, 'partner');
  }

  /** @param onFastify receives the HTTP server before any route is registered */
  static async start(overrides: NodeJS.ProcessEnv = {}, onFastify?: (typeof app)['onFastify']): Promise<Gateway> {
    const database = await createTestDatabase({ template: TEMPLATE, prepare });
    const issuer = await JsonServer.start();
    issuer.answer(200, { keys: [{ ...KEYS.publicKey.export({ format: 'jwk' }), alg: 'EdDSA', kid: 'k1' }] });
    const dispatcher = await JsonServer.start();
    const vouchers = await JsonServer.start();
    const env = {
      NODE_ENV: 'test',
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.urlFor('partner'),
      EVENT_BUS: 'postgres',
      CHECKOUT_BASE_URL: 'https://store.example.com/checkout',
      CONSOLE_URL: 'https://partners.example.com/console',
      CHECKOUT_SIGNING_KEYS: `k1:${secret()}`,
      CURSOR_SIGNING_KEYS: secret(),
      FIELD_ENCRYPTION_KEYS: `k1:${secret()}`,
      EMAIL_HASH_KEY,
      POSTBACK_DISPATCHER_URL: dispatcher.url,
      VOUCHER_SERVICE_URL: vouchers.url,
      SERVICE_PRIVATE_KEY: SERVICE_KEYS.privateKeyOf('partner-gateway'),
      JWT_SERVICE_ISSUER: 'https://issuer.example.com',
      JWT_SERVICE_JWKS_URL: `${issuer.url}/jwks.json`,
      // Tests make more requests per minute with one token than the default limits allow.
      RATE_LIMIT_CHECKOUT_PER_MINUTE: '1000000',
      RATE_LIMIT_READ_PER_MINUTE: '1000000',
      RATE_LIMIT_WRITE_PER_MINUTE: '1000000',
      RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE: '1000000',
      ...overrides,
    };
    return new Gateway(await bootstrap({ ...app, onFastify }, env), database, env, issuer, dispatcher, vouchers);
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all([this.dispatcher, this.vouchers, this.issuer].map((server) => server.stop()));
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const { status, headers, body } = await this.sendRequest(method, path, options);
    return { status, headers, body };
  }

  /** Issues a partner manager's token. */
  async managerToken(claims: { scope?: string; iss?: string; sub?: string; exp?: number } = {}): Promise<string> {
    return new SignJWT({ scope: claims.scope ?? 'partner:manage' })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'k1' })
      .setIssuer(claims.iss ?? 'https://issuer.example.com')
      .setSubject(claims.sub ?? 'manager-1')
      .setAudience('tandem')
      .setExpirationTime(claims.exp ?? Math.floor(Date.now() / 1000) + 300)
      .sign(KEYS.privateKey);
  }

  async manage(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.request(method, path, { token: await this.managerToken(), body });
  }

  /** Creates a partner through the admin API, with a live token and a test token. By default, a promotion partner gets a promotion. */
  async createPartner(options: PartnerOptions = {}): Promise<TestPartner> {
    const { kind = 'promotion', percentOff = 20, ...more } = options;
    const { body: partner } = await this.manage('POST', '/admin/partners', { name: 'A partner', kind, ...more });
    const id = partner.id as string;
    const hasPromotion = kind === 'promotion' && percentOff !== null;
    const promotion = hasPromotion ? await this.createPromotion(id, percentOff) : { id: '', code: uniqueId('CODE') };
    return {
      id,
      promotionId: promotion.id,
      promotionCode: promotion.code,
      token: await this.issueToken(id),
      testToken: await this.issueToken(id, { environment: 'test' }),
    };
  }

  /** Creates an active promotion of a partner, which deactivates the previous one. */
  async createPromotion(partnerId: string, percentOff = 20): Promise<{ id: string; code: string }> {
    const code = uniqueId('CODE');
    const { body } = await this.manage('POST', `/admin/partners/${partnerId}/promotions`, { code, percentOff });
    return { id: body.id as string, code };
  }

  async issueToken(partnerId: string, options: { environment?: string; scopes?: string[]; expiresAt?: string } = {}) {
    const wanted = { environment: 'live', ...options };
    const { status, body } = await this.manage('POST', `/admin/partners/${partnerId}/tokens`, wanted);
    if (status !== 201) throw new Error(`no token was issued: ${status} ${JSON.stringify(body)}`);
    return body.token as string;
  }

  /**
   * Issues a live token with any scopes, even scopes of the other integration kind. Older versions, which did not check scopes, issued such
   * tokens.
   */
  async issueForeignToken(partnerId: string, scopes: string[]): Promise<string> {
    const { body } = await this.manage('POST', `/admin/partners/${partnerId}/tokens`, { environment: 'live' });
    await this.database.query(`update partner.partner_token set scopes = $2 where id = $1`, [body.id, scopes]);
    return body.token as string;
  }

  /** Creates a checkout URL and returns its signed token. */
  async checkoutToken(token: string, query = ''): Promise<string> {
    const { body } = await this.request('GET', `/api/v2/partner/subscription/create-checkout-url${query}`, { token });
    return new URL(body.checkoutUrl as string).searchParams.get('checkout') as string;
  }

  /** Delivers payment events one after the other, each in its own transaction. */
  async receive(...events: PaymentReceived[]): Promise<void> {
    for (const event of events) await this.receiveBatch([event]);
  }

  /**
   * Delivers payment events as the consumer of the bus does, but without the inbox: all in one transaction, which is retried after a
   * conflict.
   *
   * @returns the number of statements, without BEGIN and COMMIT
   */
  async receiveBatch(events: readonly PaymentReceived[], { nest } = this.running): Promise<number> {
    for (;;) {
      const work = async (manager: EntityManager): Promise<[EventBatch, number]> => {
        const countStatements = await this.statementsOf(manager);
        const batch = new EventBatch(PAYMENT_RECEIVED.topic, manager);
        await nest.get(SaleService).recordPayments(events.map(received), batch);
        return [batch, countStatements()];
      };
      try {
        const [batch, statements] = await nest.get(DataSource).transaction(work);
        for (const callback of batch.takeCallbacks()) await callback();
        return statements;
      } catch (error) {
        if (!isRetryableConflict(error)) throw error;
      }
    }
  }

  /** Starts to count the statements of a transaction. @returns a function that stops counting and returns the number */
  private async statementsOf(manager: EntityManager): Promise<() => number> {
    const connection = (await manager.queryRunner?.connect()) as { query: unknown };
    const spy = jest.spyOn(connection as { query: () => unknown }, 'query');
    return () => {
      const count = spy.mock.calls.length;
      spy.mockRestore();
      return count;
    };
  }

  /** Publishes payment events on the bus. */
  async publish(...events: PaymentReceived[]): Promise<void> {
    const outbox = this.running.nest.get(Outbox);
    await outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        PAYMENT_RECEIVED,
        events.map((data) => ({ data })),
      ),
    );
  }

  completed(oid: string): Promise<SaleCompleted[]> {
    return this.published<SaleCompleted>(SALE_COMPLETED.topic, oid);
  }

  closed(oid: string): Promise<SaleClosed[]> {
    return this.published<SaleClosed>(SALE_CLOSED.topic, oid);
  }

  /**
   * Starts `work` several times while the sale's row is locked. The lock is released when every run waits for the lock, so that all runs
   * compete for the lock.
   */
  async atOnce<T>(oid: string, times: number, work: () => Promise<T>): Promise<T[]> {
    const running = await this.running.nest.get(DataSource).transaction(async (manager) => {
      await keepLocks(manager);
      await manager.query(`select 1 from sale where oid = $1 for update`, [oid]);
      const started = Array.from({ length: times }, work);
      await eventually(async () => {
        const [row] = await this.database.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        );
        if (row?.waiting !== times) throw new Error(`${row?.waiting} runs wait for the lock, not ${times}`);
      });
      // The runs are not awaited inside this transaction, because they can continue only when it has ended.
      return { started };
    });
    return Promise.all(running.started);
  }

  async sale(oid: string): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.database.query(`select * from partner.sale where oid = $1`, [oid]);
    return row;
  }
}

export type Answer = Omit<AnyAnswer, 'text'>;

export interface PartnerOptions {
  kind?: 'promotion' | 'voucher';
  /** Null creates the partner without a promotion. */
  percentOff?: number | null;
  contactEmail?: string;
  revokeWindowDays?: number;
}

export interface TestPartner {
  id: string;
  promotionId: string;
  promotionCode: string;
  token: string;
  testToken: string;
}

const TEMPLATE = templateOf('partner-gateway', BUS_SCHEMA.migrations, SCHEMA.migrations);

async function prepare(superuserUrl: string): Promise<void> {
  await migrateApps({
    superuserUrl,
    bus: 'postgres',
    apps: [{ app: 'partner-gateway', schema: SCHEMA, rolePassword: TEST_ROLE_PASSWORD }],
    // The tests add webhook-ingest's events to the outbox of this app, so the role `partner` may publish them too.
    otherRoles: [{ app: 'webhook-ingest', role: 'partner' }],
  });
}

/** Returns a payment event in the form in which handlers receive it. */
export const received = (data: PaymentReceived): ReceivedEvent<PaymentReceived> => ({
  id: randomUUID(),
  topic: PAYMENT_RECEIVED.topic,
  key: data.subscriptionId,
  data,
  occurredAt: data.occurredAt,
  traceparent: `00-${traceIdOf(data)}-00f067aa0ba902b7-01`,
});

/** Returns the trace id that {@link received} gives to a payment event. */
export const traceIdOf = ({ paymentId }: PaymentReceived): string => hashOf(paymentId).slice(0, 32);

/**
 * Returns a purchase in the form in which webhook-ingest publishes it. `minute` is the time of the purchase in minutes, counted from an
 * hour before the tests started.
 */
export function purchase(subscriptionId: string, change: PurchaseChange = {}): PaymentReceived {
  const { minute = 0, occurredAt = timeOf(minute), customer, attribution, ...more } = change;
  return {
    paymentId: uniqueId('pay'),
    type: 'subscription.purchased',
    occurredAt,
    subscriptionId,
    customer: { emailMasked: 'j***e@example.com', emailHash: hashOf(subscriptionId), ...customer },
    purchase: {
      currency: 'USD',
      amount: '99.90',
      paymentStatus: 'captured',
      firstPayment: true,
      items: [{ price: '49.95', quantity: 2, category: 'Advanced, 1 year', tier: 'advanced' }],
      attribution,
      ...more,
    },
  };
}

export function closure(
  subscriptionId: string,
  type: 'subscription.refunded' | 'subscription.charged_back',
  minute: number,
): PaymentReceived {
  return { paymentId: uniqueId('pay'), type, occurredAt: timeOf(minute), subscriptionId };
}

type PurchaseChange = Partial<NonNullable<PaymentReceived['purchase']>> & {
  minute?: number;
  occurredAt?: string;
  customer?: PaymentReceived['customer'];
};

/** The time of minute 0: an hour before the tests started. A sale at this time can still be revoked. */
const START = Date.now() - 3_600_000;
export const timeOf = (minute: number): string => new Date(START + minute * 60_000).toISOString();

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
