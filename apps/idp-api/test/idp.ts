import { randomBytes } from 'node:crypto';
import { TOPOLOGY } from '@tandem/contracts';
import { BUS_SCHEMA } from '@tandem/messaging';
import { bootstrap, migrateApps, type RunningApp } from '@tandem/service-defaults';
import {
  type Answer,
  createTestDatabase,
  sendRequest,
  templateOf,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  TestIssuers,
  TestServiceKeys,
  type TokenChange,
  uniqueId,
} from '@tandem/testing';
import { app } from '../src/app';
import { SCHEMA } from '../src/migrations';
import { TestVendor, type TestVendorRoute } from './vendor';

export const SERVICE_KEYS = new TestServiceKeys('idp-support', 'operator');
export const HASH_KEY = randomBytes(32).toString('base64');
export const ENCRYPTION_KEY = `k1:${randomBytes(32).toString('base64')}`;

export interface IdpOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Further routes of the vendor, in addition to those of users, verifications, tokens and enrollments. */
  readonly vendorRoutes?: readonly TestVendorRoute[];
  /**
   * Whether to start the app in this process; true by default. If false, the test starts the app itself, in this or in a separate process.
   */
  readonly start?: boolean;
}

/** An idp-api on a real database, with both issuers and a test vendor on real servers. */
export class Idp {
  private constructor(
    readonly database: TestDatabase,
    readonly issuers: TestIssuers,
    readonly vendor: TestVendor,
    public environment: NodeJS.ProcessEnv,
  ) {}

  running!: RunningApp;

  static async start({ env = {}, vendorRoutes, start = true }: IdpOptions = {}): Promise<Idp> {
    const database = await createTestDatabase({
      template: TEMPLATE,
      prepare: async (url) => void (await prepare(url)),
    });
    const [issuers, vendor] = await Promise.all([TestIssuers.start(), TestVendor.start(vendorRoutes)]);
    const idp = new Idp(database, issuers, vendor, {
      ...environmentOf(database),
      ...issuers.environment,
      ...vendor.environment,
      ...env,
    });
    if (start) await idp.boot();
    return idp;
  }

  /** Starts the app in this process. @param env changes of the environment, which also apply to later starts */
  async boot(env: NodeJS.ProcessEnv = {}): Promise<void> {
    this.environment = { ...this.environment, ...env };
    this.running = await bootstrap(app, this.environment);
  }

  async stop(): Promise<void> {
    await this.running?.close();
    await Promise.all([this.issuers.stop(), this.vendor.stop(), this.database.drop()]);
  }

  /** Restarts the app with changes of its environment. */
  async restart(env: NodeJS.ProcessEnv): Promise<void> {
    await this.running.close();
    await this.boot(env);
  }

  /** Sends a request of a user. A body that is a string is sent unchanged. */
  async request(method: string, path: string, user: TestUser | null, body?: unknown): Promise<Answer> {
    const token = user && (user.token ?? (await this.issuers.token(user.krn, user.claims)));
    return sendRequest(method, `${user?.url ?? this.running.url}/idp/array/users${path}`, { token, body });
  }

  /** Creates a user without a profile, with a subscription whose payment was captured an hour ago. */
  async entitledUser(entitlements: readonly string[] = ALL_ENTITLEMENTS): Promise<TestUser> {
    const krn = newKrn();
    const id = uniqueId('sub');
    await this.database.query('insert into idp.subscription (id, krn, krn_at) values ($1, $2, now())', [id, krn]);
    await this.database.query(
      `insert into idp.subscription_event (subscription_id, type, occurred_at, entitlements, payment_status)
       values ($1, 'purchased', now() - interval '1 hour', $2, 'captured')`,
      [id, entitlements],
    );
    return { krn, subscriptionId: id };
  }

  /** Creates an entitled user with a profile. */
  async createUser(change: object = {}, entitlements?: readonly string[]): Promise<TestUser> {
    const user = await this.entitledUser(entitlements);
    const { status, text } = await this.request('POST', '', user, createBody(change));
    if (status !== 200) throw new Error(`creating the profile got the status ${status}: ${text}`);
    return user;
  }
}

export interface TestUser {
  readonly krn: string;
  readonly subscriptionId?: string;
  readonly claims?: TokenChange;
  /** The token to send instead of a generated one. */
  readonly token?: string;
  /** The URL of another replica, to which the request is sent. */
  readonly url?: string;
}

export const ALL_ENTITLEMENTS = ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'];

export const newKrn = (): string => `krn:tandem:test:user:${uniqueId('u')}`;

/** Returns a valid body for creating a profile. */
export const createBody = (change: object = {}): Record<string, unknown> => ({
  firstName: 'Johanna',
  lastName: 'Quimby',
  dob: '1984-02-29',
  emailAddress: 'johanna.quimby@mail.test',
  phoneNumber: '5035550142',
  ssn: '123456789',
  address: { street: '12 Larkspur Lane', city: 'Portland', state: 'OR', zip: '97201' },
  ...change,
});

const environmentOf = (database: TestDatabase): NodeJS.ProcessEnv => ({
  NODE_ENV: 'test',
  PORT: '0',
  LOG_LEVEL: 'silent',
  DATABASE_URL: database.urlFor('idp'),
  EVENT_BUS: 'postgres',
  FIELD_ENCRYPTION_KEYS: ENCRYPTION_KEY,
  PROFILE_HASH_KEY: HASH_KEY,
  SERVICE_PUBLIC_KEYS: SERVICE_KEYS.publicKeysOf(),
});

/** The template database, from which each test database is copied. It is created again when the migrations or topics change. */
const TEMPLATE = templateOf(
  'idp-api',
  [...BUS_SCHEMA.migrations, ...SCHEMA.migrations],
  TOPOLOGY.map(({ event }) => event.topic),
);

const prepare = (superuserUrl: string): Promise<unknown> =>
  migrateApps({
    superuserUrl,
    bus: 'postgres',
    apps: [{ app: 'idp-api', schema: SCHEMA, rolePassword: TEST_ROLE_PASSWORD }],
    // The tests publish events of webhook-ingest through this app's outbox.
    otherRoles: [{ role: 'idp', app: 'webhook-ingest' }],
  });
