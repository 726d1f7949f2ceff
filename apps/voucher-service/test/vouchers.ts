import { randomBytes, randomUUID } from 'node:crypto';
import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { couponHash, PAYMENT_RECEIVED, type PaymentReceived, TOPOLOGY } from '@tandem/contracts';
import { couponsPath, type CreateVoucherGroup, managedVoucherGroupsPath } from '@tandem/internal-api';
import { BUS_SCHEMA, Outbox } from '@tandem/messaging';
import { bootstrap, migrateApps, type RunningApp } from '@tandem/service-defaults';
import {
  type Answer,
  AppUnderTest,
  createTestDatabase,
  eventually,
  keepLocks,
  templateOf,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  TestServiceKeys,
  uniqueId,
} from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { DataSource, type EntityManager } from 'typeorm';
import { app } from '../src/app';
import { RedemptionService } from '../src/coupon/redemption.service';
import { SCHEMA } from '../src/migrations';

const SERVICE_KEYS = new TestServiceKeys('partner-gateway');
export const CURSOR_KEY = randomBytes(32).toString('base64');
const COUPON_HASH_KEY = randomBytes(32);

/** A complete voucher-service with a real Postgres. Its bus is the log in Postgres. */
export class Vouchers extends AppUnderTest<RunningApp> {
  /** @param shared the database of another replica; without it, a new database is created */
  static async start(overrides: NodeJS.ProcessEnv = {}, shared?: TestDatabase): Promise<Vouchers> {
    const database = shared ?? (await createTestDatabase({ template: TEMPLATE, prepare }));
    const running = await bootstrap(app, { ...environmentOf(database), ...overrides });
    return new Vouchers(running, database, 'voucher', shared === undefined);
  }

  request(
    method: string,
    path: string,
    body?: unknown,
    token: string | Promise<string> | null = serviceToken(),
  ): Promise<Answer> {
    return this.sendRequest(method, path, { token, body });
  }

  /** Creates a group, by default for a new partner. */
  async createGroup(change: Partial<CreateVoucherGroup> & { partnerId?: string } = {}): Promise<TestGroup> {
    const { partnerId = uniqueId('ptn'), ...more } = change;
    const wanted = groupOf(more);
    const { status, text } = await this.request('POST', managedVoucherGroupsPath(partnerId), wanted);
    if (status !== 201) throw new Error(`the creation of the group was answered with ${status}: ${text}`);
    return { id: wanted.id, partnerId, environment: wanted.environment };
  }

  /** Returns a client for another replica, which runs at `url` with the same database. */
  at(url: string): Vouchers {
    return new Vouchers({ ...this.running, url }, this.database, 'voucher', false);
  }

  create(group: TestGroup, change: CreationChange = {}): Promise<Answer> {
    const { count = null, tokenId = uniqueId('tok'), key = null, ...more } = change;
    return this.request('POST', couponsPath(group.partnerId, group.environment), {
      voucherGroupId: group.id,
      requestedCount: count,
      tokenId,
      idempotencyKey: key,
      ...more,
    });
  }

  list(group: TestGroup, query: Record<string, string | number> = {}): Promise<Answer> {
    const entries = Object.entries({ voucherGroupId: group.id, ...query }).map(([name, value]) => [
      name,
      String(value),
    ]);
    return this.request(
      'GET',
      `${couponsPath(group.partnerId, group.environment)}?${new URLSearchParams(entries as [string, string][])}`,
    );
  }

  /** Reads a whole list of coupons, page by page. */
  async listAll(group: TestGroup, query: Record<string, string | number> = {}): Promise<Coupon[]> {
    const items: Coupon[] = [];
    let cursor: string | null = null;
    do {
      const { body, status }: Answer = await this.list(group, { ...query, ...(cursor === null ? {} : { cursor }) });
      if (status !== 200) throw new Error(`the page was answered with ${status}`);
      items.push(...body.items);
      cursor = body.nextCursor;
    } while (cursor !== null);
    return items;
  }

  /** Returns the row of a group. */
  async group(id: string): Promise<Record<string, unknown>> {
    const [row] = await this.database.query(`select * from voucher.voucher_group where id = $1`, [id]);
    return row as Record<string, unknown>;
  }

  /** Returns how many coupons, batches and coupon.created events are stored for the group, and the `issued` count in the group's row. */
  async counts(groupId: string): Promise<{ coupons: number; batches: number; issued: number; events: number }> {
    const [row] = await this.database.query<{ coupons: number; batches: number; issued: number }>(
      `select (select count(*)::int from voucher.coupon where group_id = $1) as coupons,
              (select count(*)::int from voucher.batch where group_id = $1) as batches,
              (select issued from voucher.voucher_group where id = $1) as issued`,
      [groupId],
    );
    if (!row) throw new Error('the select returned no row');
    return { ...row, events: (await this.published('coupon.created', groupId)).length };
  }

  /** Handles payment events one after the other, each in its own batch. */
  async receive(...events: PaymentReceived[]): Promise<void> {
    for (const event of events) await this.receiveBatch(event);
  }

  /** Handles payment events as the consumer does: as one batch, in one transaction. @returns the ids of the events */
  async receiveBatch(...payments: PaymentReceived[]): Promise<string[]> {
    const { topic } = PAYMENT_RECEIVED;
    const events = payments.map((data) => ({ id: randomUUID(), topic, key: data.subscriptionId, data }));
    const redemptions = this.running.nest.get(RedemptionService);
    redemptions.log(await this.transaction((manager) => redemptions.recordPayments(manager, events)));
    return events.map(({ id }) => id);
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

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.running.nest.get(DataSource).transaction(work);
  }

  /** Runs `work` while a transaction locks the group's row. */
  whileGroupIsLocked<T>(groupId: string, work: () => Promise<T>): Promise<T> {
    return this.transaction(async (manager) => {
      await keepLocks(manager);
      await manager.query('select 1 from voucher_group where id = $1 for update', [groupId]);
      return work();
    });
  }

  /** Waits until exactly `count` Postgres backends are waiting for a lock, and returns their process ids. */
  async waiting(count: number): Promise<number[]> {
    return eventually(async () => {
      const rows = await this.database.query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (rows.length !== count) throw new Error(`${rows.length} backends wait for a lock, not ${count}`);
      return rows.map(({ pid }) => pid);
    });
  }
}

export type { Answer };

export const environmentOf = (database: Pick<TestDatabase, 'urlFor'>): NodeJS.ProcessEnv => ({
  NODE_ENV: 'test',
  PORT: '0',
  LOG_LEVEL: 'silent',
  DATABASE_URL: database.urlFor('voucher'),
  EVENT_BUS: 'postgres',
  SERVICE_PUBLIC_KEYS: SERVICE_KEYS.publicKeysOf(),
  CURSOR_SIGNING_KEYS: CURSOR_KEY,
  COUPON_HASH_KEY: COUPON_HASH_KEY.toString('base64'),
});

export const serviceToken = (audience = 'voucher-service', keys = SERVICE_KEYS): Promise<string> =>
  issueServiceToken({
    privateKey: parseServicePrivateKey(keys.privateKeyOf('partner-gateway')),
    from: 'partner-gateway',
    audience,
    now: new Date(),
  });

export const groupOf = (change: Partial<CreateVoucherGroup> = {}): CreateVoucherGroup => ({
  id: randomUUID(),
  environment: 'live',
  name: 'Advanced, one year',
  status: 'active',
  product: { name: 'Advanced', tier: 'advanced', periodMonths: 12 },
  currency: 'USD',
  stock: null,
  validFrom: '2026-01-01T00:00:00.000Z',
  validUntil: null,
  ...change,
});

/** Returns whether an answer is valid for its contract class, and has no fields that the class lacks. */
export const fits = (type: new () => object, data: unknown): boolean =>
  validateSync(plainToInstance(type, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

/** Returns the keyed hash of a code, by which events identify the coupon. */
const hashOf = (code: string): string => couponHash(code, COUPON_HASH_KEY);

/** Returns the data of a payment.received event about a captured purchase: with a coupon if `code` is given. */
export function purchase(code: string | undefined, change: PurchaseChange = {}): PaymentReceived {
  const { occurredAt = new Date().toISOString(), subscriptionId = uniqueId('sub'), ...more } = change;
  return {
    paymentId: uniqueId('pay'),
    type: 'subscription.purchased',
    occurredAt,
    subscriptionId,
    purchase: {
      currency: 'USD',
      amount: '0.00',
      paymentStatus: 'captured',
      firstPayment: true,
      items: [{ price: '0.00', quantity: 1, category: 'Advanced, 1 year' }],
      ...(code === undefined ? {} : { couponHash: hashOf(code) }),
      ...more,
    },
  };
}

/** Returns the data of a payment.received event of the type coupon.redeemed, with which billing itself reports a redemption. */
export function redemption(code: string, redeemedAt: string, subscriptionId = uniqueId('sub')): PaymentReceived {
  const paymentId = uniqueId('pay');
  return {
    paymentId,
    type: 'coupon.redeemed',
    occurredAt: redeemedAt,
    subscriptionId,
    couponHash: hashOf(code),
    redeemedAt,
  };
}

export interface Coupon {
  id: string;
  code: string;
  status: string;
  batchId: string;
  createdAt: string;
  expiresAt: string | null;
  redeemedAt: string | null;
}

export interface TestGroup {
  id: string;
  partnerId: string;
  environment: string;
}

interface CreationChange {
  count?: unknown;
  tokenId?: unknown;
  key?: unknown;
  voucherGroupId?: unknown;
}

type PurchaseChange = Partial<NonNullable<PaymentReceived['purchase']>> & {
  occurredAt?: string;
  subscriptionId?: string;
};

const TEMPLATE = templateOf(
  'voucher-service',
  BUS_SCHEMA.migrations,
  SCHEMA.migrations,
  TOPOLOGY.map(({ event }) => event.topic),
);

export async function prepare(superuserUrl: string): Promise<void> {
  await migrateApps({
    superuserUrl,
    bus: 'postgres',
    apps: [{ app: 'voucher-service', schema: SCHEMA, rolePassword: TEST_ROLE_PASSWORD }],
    // The tests publish the events of webhook-ingest through voucher-service's outbox, so the role `voucher` may publish them too.
    otherRoles: [{ app: 'webhook-ingest', role: 'voucher' }],
  });
}
