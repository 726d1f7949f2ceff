import { randomBytes } from 'node:crypto';
import { issueServiceToken, parseServicePrivateKey } from '@tandem/auth';
import { Environment, SALE_CLOSED, SALE_COMPLETED, SaleClosed, SaleCompleted } from '@tandem/contracts';
import { postbackConfigurationPath, PostbackConfigurationView, SavePostbackConfiguration } from '@tandem/internal-api';
import { BUS_SCHEMA, Outbox } from '@tandem/messaging';
import { bootstrap, migrateApps, RunningApp } from '@tandem/service-defaults';
import {
  type Answer as AnyAnswer,
  AppUnderTest,
  createTestDatabase,
  templateOf,
  TEST_ROLE_PASSWORD,
  TestDatabase,
  TestServiceKeys,
  uniqueId,
} from '@tandem/testing';
import { app } from '../src/app';
import { SCHEMA } from '../src/migrations';

const SERVICE_KEYS = new TestServiceKeys('partner-gateway');
export const FIELD_KEYS = `k1:${randomBytes(32).toString('base64')}`;
export const CURSOR_KEY = randomBytes(32).toString('base64');

/** A retry schedule whose waits are short enough for a test. */
export const QUICK = '0,0.05,0.1';

/** Creates a database with the schemas that postback-dispatcher uses, fully migrated. */
export const createPostbackDatabase = (): Promise<TestDatabase> =>
  createTestDatabase({
    template: templateOf('postback-dispatcher', BUS_SCHEMA.migrations, SCHEMA.migrations),
    prepare,
  });

export async function prepare(superuserUrl: string): Promise<void> {
  await migrateApps({
    superuserUrl,
    bus: 'postgres',
    apps: [{ app: 'postback-dispatcher', schema: SCHEMA, rolePassword: TEST_ROLE_PASSWORD }],
    // The tests publish the events of partner-gateway through this app's outbox, so its role may publish them too.
    otherRoles: [{ app: 'partner-gateway', role: 'postback' }],
  });
}

/** Returns the environment variables of a postback-dispatcher whose endpoints are test servers. */
export const environmentOf = (databaseUrl: string, overrides: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  NODE_ENV: 'test',
  PORT: '0',
  LOG_LEVEL: 'silent',
  DATABASE_URL: databaseUrl,
  EVENT_BUS: 'postgres',
  FIELD_ENCRYPTION_KEYS: FIELD_KEYS,
  SERVICE_PUBLIC_KEYS: SERVICE_KEYS.publicKeysOf(),
  CURSOR_SIGNING_KEYS: CURSOR_KEY,
  POSTBACK_ALLOW_LOOPBACK: 'true',
  POSTBACK_REQUIRE_HTTPS: 'false',
  POSTBACK_RETRY_SCHEDULE_SECONDS: QUICK,
  POSTBACK_BREAKER_PAUSE_MS: '20',
  POSTBACK_BREAKER_MAX_PAUSE_MS: '50',
  ...overrides,
});

/** A complete postback-dispatcher in the process of the test, with a real database. */
export class Dispatcher extends AppUnderTest<RunningApp> {
  static async start(overrides: NodeJS.ProcessEnv = {}, shared?: TestDatabase): Promise<Dispatcher> {
    const database = shared ?? (await createPostbackDatabase());
    const running = await bootstrap(app, environmentOf(database.urlFor('postback'), overrides));
    return new Dispatcher(running, database, 'postback', shared === undefined);
  }

  /** @param token a service token; with '', the Authorization header contains no token */
  request(
    method: string,
    path: string,
    body?: unknown,
    token: string | Promise<string> = serviceToken(),
  ): Promise<Answer> {
    return this.sendRequest(method, path, { token, body });
  }

  save(partnerId: string, body: Partial<SavePostbackConfiguration>, environment = 'live'): Promise<Answer> {
    return this.request('PUT', postbackConfigurationPath(partnerId, environment), body);
  }

  read(partnerId: string, environment = 'live'): Promise<Answer> {
    return this.request('GET', postbackConfigurationPath(partnerId, environment));
  }

  /** Saves a configuration for a new partner, and returns the partner's id and signing secret. */
  async createEndpoint(url: string, change: Partial<SavePostbackConfiguration> = {}): Promise<CreatedEndpoint> {
    const partnerId = uniqueId('partner');
    const { body, status } = await this.save(partnerId, { url, authMethod: 'Bearer', key: 'partner-key', ...change });
    if (status !== 201)
      throw new Error(`saving the configuration was answered with ${status}: ${JSON.stringify(body)}`);
    return { partnerId, signingSecret: body.signingSecret as string };
  }

  /** Publishes sale.completed for these sales, as partner-gateway does. */
  async publish(...sales: SaleCompleted[]): Promise<void> {
    const outbox = this.running.nest.get(Outbox);
    await outbox.transaction((manager) =>
      outbox.addMany(
        manager,
        SALE_COMPLETED,
        sales.map((data) => ({ data })),
      ),
    );
  }

  /** Publishes sale.closed for these sales, as partner-gateway does. */
  async close(sales: readonly SaleCompleted[], change: Partial<SaleClosed> = {}): Promise<void> {
    const outbox = this.running.nest.get(Outbox);
    const closings = sales.map(({ oid, partnerId, environment, sharedId, qualifiedAt }) => ({
      data: {
        oid,
        partnerId,
        environment,
        status: 'refunded' as const,
        closedAt: '2026-01-03T00:00:00.000Z',
        sharedId,
        qualifiedAt,
        ...change,
      },
    }));
    await outbox.transaction((manager) => outbox.addMany(manager, SALE_CLOSED, closings));
  }

  async deliveryOf(oid: string): Promise<DeliveryRow | undefined> {
    const [row] = await this.database.query<DeliveryRow>(`select * from postback.delivery where oid = $1`, [oid]);
    return row;
  }

  attemptsOf(oid: string): Promise<AttemptRow[]> {
    return this.database.query<AttemptRow>(
      `select a.* from postback.attempt a join postback.delivery d on d.id = a.delivery_id where d.oid = $1 order by a.number`,
      [oid],
    );
  }
}

export const serviceToken = (audience = 'postback-dispatcher', keys = SERVICE_KEYS): Promise<string> =>
  issueServiceToken({
    privateKey: parseServicePrivateKey(keys.privateKeyOf('partner-gateway')),
    from: 'partner-gateway',
    audience,
    now: new Date(),
  });

/** Returns the data of a sale.completed event, as partner-gateway publishes it. */
export function saleOf(partnerId: string, change: Partial<SaleCompleted> = {}): SaleCompleted {
  return {
    oid: uniqueId('sub'),
    partnerId,
    environment: 'live' as Environment,
    promotionId: 'promotion-1',
    sharedId: 'ref-42',
    emailMasked: 'j***e@example.com',
    currency: 'USD',
    items: [{ price: '49.95', quantity: '2', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' }],
    soldAt: '2026-01-02T03:04:05.000Z',
    qualifiedAt: new Date().toISOString(),
    ...change,
  };
}

export interface CreatedEndpoint {
  partnerId: string;
  signingSecret: string;
}

export interface Answer extends AnyAnswer {
  body: Record<string, unknown> & Partial<PostbackConfigurationView>;
}

export interface DeliveryRow extends Record<string, unknown> {
  id: string;
  status: string;
  attempt_count: number;
  failure_reason: string | null;
  closed_by: string | null;
  next_attempt_at: Date | null;
  delivered_at: Date | null;
}

export interface AttemptRow extends Record<string, unknown> {
  number: number;
  status: number | null;
  latency_ms: number;
  error: string | null;
  response: string | null;
}
