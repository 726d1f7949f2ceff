import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { TOPOLOGY } from '@tandem/contracts';
import type { SupportUser } from '@tandem/internal-api';
import { BUS_SCHEMA } from '@tandem/messaging';
import { bootstrap, migrateApps, type RunningApp } from '@tandem/service-defaults';
import {
  type Answer,
  AppUnderTest,
  createTestDatabase,
  JsonServer,
  type RequestOptions,
  type SeenRequest,
  templateOf,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  TestServiceKeys,
  uniqueId,
} from '@tandem/testing';
import { type JWTPayload, SignJWT } from 'jose';
import { app } from '../src/app';
import { SCHEMA } from '../src/migrations';

const SERVICE_KEYS = new TestServiceKeys('idp-support');
const KEYS = generateKeyPairSync('ed25519');
const STRANGER = generateKeyPairSync('ed25519');
const ISSUER = 'https://issuer.test/service';

/** Makes the issuer publish its key under the given key ids, from now on. */
export const publishKeys = (issuer: JsonServer, ...names: string[]): void => {
  const key = { ...KEYS.publicKey.export({ format: 'jwk' }), alg: 'EdDSA' };
  issuer.answer(200, { keys: names.map((kid) => ({ ...key, kid })) });
};

/** An idp-support on a real database, with a service issuer, and with a fake idp-api that follows the internal contract. */
export class Support extends AppUnderTest<RunningApp> {
  private constructor(
    running: RunningApp,
    database: TestDatabase,
    readonly env: NodeJS.ProcessEnv,
    readonly issuer: JsonServer,
    readonly identity: JsonServer,
  ) {
    super(running, database, 'support');
  }

  static async start(overrides: NodeJS.ProcessEnv = {}): Promise<Support> {
    const database = await createTestDatabase({ template: TEMPLATE, prepare });
    const [issuer, identity] = await Promise.all([JsonServer.start(), JsonServer.start()]);
    publishKeys(issuer, 'k1');
    const env = {
      NODE_ENV: 'test',
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.urlFor('support'),
      EVENT_BUS: 'postgres',
      IDP_API_URL: identity.url,
      IDP_API_TIMEOUT_MS: '1000',
      SERVICE_PRIVATE_KEY: SERVICE_KEYS.privateKeyOf('idp-support'),
      JWT_SERVICE_ISSUER: ISSUER,
      JWT_SERVICE_JWKS_URL: `${issuer.url}/jwks.json`,
      ...overrides,
    };
    return new Support(await bootstrap(app, env), database, env, issuer, identity);
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all([this.issuer.stop(), this.identity.stop()]);
  }

  /** Sends a request of support staff to a path below `/idp/support/users/{krn}`. */
  async act(method: string, krn: string, path = '', options: RequestOptions = {}): Promise<Answer> {
    const token = options.token === undefined ? supportToken() : options.token;
    return this.sendRequest(method, `/idp/support/users/${encodeURIComponent(krn)}${path}`, { ...options, token });
  }

  /** Returns the requests about a user that the fake idp-api has received. */
  asked(krn: string): SeenRequest[] {
    return this.identity.requests.filter(({ url }) => url.includes(encodeURIComponent(krn)));
  }

  /** Returns the audit trail of a user, oldest first. */
  trail(krn: string): Promise<Record<string, unknown>[]> {
    return this.database.query(
      `select actor, action, reason, request_id, details, outcome, error from support.audit_entry where krn = $1 order by seq`,
      [krn],
    );
  }

  /** Makes the fake idp-api know all users and carry out all requests, from now on. */
  knowUsers(): void {
    this.identity.answerBy(({ method, url }) => {
      const krn = decodeURIComponent(url.split('/')[4] as string);
      const user = supportUser(krn);
      if (method === 'PATCH') return [200, { array_user_details: user.array_user_details }];
      if (method === 'DELETE') return [200, { deleted: true }];
      return [200, method === 'POST' ? { enrollments: user.enrollments } : user];
    });
  }

  /** Makes the fake idp-api refuse all requests, from now on. */
  refuse(status: number, code: string, errors?: { field: string; message: string }[]): void {
    this.identity.answer(status, { code, status, ...(errors && { errors }) });
  }
}

export const newKrn = (): string => `krn:tandem:test:user:${uniqueId('u')}`;

/** Changes of a token: claims, the headers `typ` and `kid`, and whether the signature is forged. */
export type TokenChange = JWTPayload & { typ?: string; kid?: string; forged?: boolean };

const in300Seconds = (): number => Math.floor(Date.now() / 1000) + 300;

const sign = ({ typ, kid = 'k1', forged = false, ...claims }: TokenChange): Promise<string> =>
  new SignJWT({ iss: ISSUER, aud: 'tandem', exp: in300Seconds(), ...claims })
    .setProtectedHeader({ alg: 'EdDSA', kid, typ })
    .sign((forged ? STRANGER : KEYS).privateKey);

export const supportToken = (change: TokenChange = {}): Promise<string> =>
  sign({ sub: 'agent-7', scope: 'support', ...change });

/** Creates a subscription receipt token. */
export const receiptToken = (krn: string, change: TokenChange = {}): Promise<string> =>
  sign({
    typ: 'srt+jwt',
    sub: krn,
    iat: Math.floor(Date.now() / 1000),
    subscription_id: `sub_${randomUUID()}`,
    entitlements: ['idp.identity'],
    ...change,
  });

/** Returns what the fake idp-api reports about a user, in the form of the internal contract. */
export const supportUser = (krn: string): SupportUser => ({
  array_user_details: {
    user_id: krn,
    array_user_id: '6f0b6f0e-1d7c-5b6a-9d49-4f63a1f5f0a1',
    version: 1,
    auth_attempts: 0,
    remaining_auth_attempts: 3,
    last_auth_attempt: '2026-01-05T09:30:00.000Z',
    created_at: '2026-01-05T09:30:00.000Z',
  },
  enrollments: [
    {
      code: 'IDENTITY_MONITORING',
      active: true,
      created_at: '2026-01-05T09:30:00.000Z',
      updated_at: '2026-01-05T09:30:01.000Z',
      status_history: [{ status: 'active', at: '2026-01-05T09:30:01.000Z', reason: 'enrolled' }],
    },
  ],
  user_status_response: {
    arrayUserId: '6f0b6f0e-1d7c-5b6a-9d49-4f63a1f5f0a1',
    authenticated: true,
    twoFactorEnabled: true,
    authAttempts: 0,
    remainingAuthAttempts: 3,
    lastAuthAttempt: '2026-01-05T09:30:00.000Z',
    firstNameConfigured: true,
    lastNameConfigured: true,
    dobConfigured: true,
    addressConfigured: true,
    emailConfigured: true,
    phoneNumberConfigured: true,
    ssnConfigured: true,
  },
});

/** The template database, from which each test database is copied. It is created again when the migrations, topics or publishers change. */
const TEMPLATE = templateOf(
  'idp-support',
  [...BUS_SCHEMA.migrations, ...SCHEMA.migrations],
  TOPOLOGY.map(({ event, publishers }) => `${event.topic} ${publishers.join()}`),
);

async function prepare(superuserUrl: string): Promise<void> {
  await migrateApps({
    superuserUrl,
    bus: 'postgres',
    apps: [{ app: 'idp-support', schema: SCHEMA, rolePassword: TEST_ROLE_PASSWORD }],
  });
}
