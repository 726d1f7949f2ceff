import path from 'node:path';
import { ALL_ENTITLEMENTS } from '@tandem/stack-client';
import { PROFILED } from '../chain/profile';
import { BenchDatabase } from '../delivery/database';
import { type App, stackEnvironment, startApp } from '../processes/apps';
import { Child, Cleanup, ROOT } from '../processes/child';
import { ISSUER, TokenIssuer } from './tokens';

const APP = 'idp-api';
const ROLE = 'idp';
const NO_LIMIT = '1000000000';
/** The number of different users in whose names requests are sent, in turn. */
const USERS = 500;
const KRNS = Array.from({ length: USERS }, (_, index) => `krn:tandem:bench:user:u${index + 1}`);

/** idp-api with users that have a profile and all entitlements, and the bare server for comparison. */
export interface IdentityWorld {
  /** idp-api. */
  readonly app: App;
  /** The bare server. */
  readonly bare: App;
  /**
   * The request headers of each user. They contain a token which states that the user has authenticated with a second
   * factor.
   */
  readonly callers: readonly Record<string, string>[];
}

interface IdentityOptions {
  /** A path on which the vendor never answers; if omitted, the vendor answers on every path. */
  readonly hanging?: string;
  /** Whether idp-api is started so that it can be profiled. */
  readonly profiled?: boolean;
}

/**
 * Creates a database with users, and starts idp-api and the bare server on it. The two servers call a vendor that
 * answers after 20 ms.
 */
export async function startIdentity(
  serverUrl: string,
  cleanup: Cleanup,
  { hanging = '', profiled = false }: IdentityOptions,
): Promise<IdentityWorld> {
  const database = await BenchDatabase.create(serverUrl, [APP]);
  cleanup.add(() => database.close());
  await createUsers(database);
  const issuer = new TokenIssuer();
  const { url: vendorUrl } = await startChild('vendor', { JWKS: issuer.jwks, HANGING: hanging }, cleanup);
  const jwksUrl = `${vendorUrl}/jwks.json`;
  const bare = await startChild(
    'bare',
    {
      NODE_ENV: 'production',
      DATABASE_URL: database.urlFor(ROLE),
      VENDOR_URL: vendorUrl,
      JWKS_URL: jwksUrl,
      PROFILE_SQL: profileSql(),
    },
    cleanup,
  );
  const app = await startIdpApi(database, { vendorUrl, jwksUrl, profiled }, cleanup);
  return { app, bare, callers: KRNS.map((krn) => ({ authorization: `Bearer ${issuer.tokenOf(krn)}` })) };
}

/**
 * Starts idp-api with its default settings but without rate limits, so that the cost of the work itself is measured.
 */
async function startIdpApi(
  database: BenchDatabase,
  { vendorUrl, jwksUrl, profiled }: { vendorUrl: string; jwksUrl: string; profiled: boolean },
  cleanup: Cleanup,
): Promise<App> {
  const { apps } = await stackEnvironment({ bus: 'postgres', superuserUrl: database.superuserUrl });
  const databaseUrl = database.urlFor(ROLE);
  const env = {
    ...apps[APP],
    DATABASE_URL: databaseUrl,
    BUS_DATABASE_URL: databaseUrl,
    JWT_SERVICE_ISSUER: ISSUER,
    JWT_SERVICE_JWKS_URL: jwksUrl,
    VENDOR_URL: vendorUrl,
    VENDOR_APP_KEY: 'bench',
    VENDOR_SERVER_TOKEN: 'bench',
    MOCK_ENABLED: 'false',
    RATE_LIMIT_CLIENT_PER_MINUTE: NO_LIMIT,
    RATE_LIMIT_DASHBOARD_PER_MINUTE: NO_LIMIT,
  };
  return startApp(APP, { env, nodeArguments: profiled ? PROFILED : [] }, cleanup);
}

async function startChild(name: 'vendor' | 'bare', env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<App> {
  const file = path.join(__dirname, `${name}-main.js`);
  const { child, ready } = await Child.start<{ url: string }>({ name, file, env });
  cleanup.add(() => child.stop());
  return { child, url: ready.url };
}

/**
 * Returns the query with which idp-api reads a profile. Loads it from the app's build, because tools do not import apps.
 */
function profileSql(): string {
  const module = path.join(ROOT, 'apps', APP, 'dist/profile/profile.repository');
  const { FIND_OVERVIEW } = require(module) as { FIND_OVERVIEW?: unknown };
  if (typeof FIND_OVERVIEW !== 'string') throw new Error(`${module} has no query FIND_OVERVIEW`);
  return FIND_OVERVIEW;
}

/**
 * Creates users with all entitlements. The values of their personal data are placeholders, because the measured
 * requests read only whether there is a value.
 */
async function createUsers({ client }: BenchDatabase): Promise<void> {
  await client.query(
    `insert into idp.profile (krn, array_user_id, version, first_name, last_name, dob, email_address, address)
     select krn, gen_random_uuid(), 1, 'x', 'x', 'x', 'x', 'x' from unnest($1::text[]) as krn`,
    [KRNS],
  );
  await client.query(
    `insert into idp.subscription (id, krn, krn_at) select krn, krn, now() from unnest($1::text[]) as krn`,
    [KRNS],
  );
  await client.query(
    `insert into idp.subscription_event (subscription_id, type, occurred_at, entitlements, payment_status)
     select krn, 'purchased', now() - interval '1 hour', $2::text[], 'captured' from unnest($1::text[]) as krn`,
    [KRNS, ALL_ENTITLEMENTS],
  );
  await client.query('analyze');
}
