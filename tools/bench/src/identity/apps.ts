import path from 'node:path';
import { BenchDatabase } from '../delivery/database';
import { stackEnvironment, startApp } from '../processes/apps';
import { Child, Cleanup, ROOT } from '../processes/child';
import { ISSUER, TokenIssuer } from './tokens';

const APP = 'idp-api';
const ROLE = 'idp';
const NO_LIMIT = '1000000000';
const ENTITLEMENTS = ['idp.identity', 'idp.credit', 'idp.removal', 'idp.titles'];
const KRN = 'krn:tandem:bench:user:u1';

/** idp-api with one user who has everything, and what it is compared with. */
export interface IdentityWorld {
  /** Of idp-api. */
  readonly url: string;
  readonly bareUrl: string;
  /** Of the user, with a second factor. */
  readonly headers: Record<string, string>;
}

/**
 * Starts a vendor that answers after 20 ms, idp-api on a database of its own, and the bare server.
 *
 * @param hanging a path of the vendor that never answers; none when left out
 */
export async function startIdentity(serverUrl: string, cleanup: Cleanup, hanging = ''): Promise<IdentityWorld> {
  const database = await BenchDatabase.create(serverUrl, [APP]);
  cleanup.add(() => database.close());
  await createUser(database);
  const issuer = new TokenIssuer();
  const vendorUrl = await startChild('vendor', { JWKS: issuer.jwks, HANGING: hanging }, cleanup);
  const jwksUrl = `${vendorUrl}/jwks.json`;
  const bareUrl = await startChild(
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
  const url = await startIdpApi(database, { vendorUrl, jwksUrl }, cleanup);
  return { url, bareUrl, headers: { authorization: `Bearer ${issuer.tokenOf(KRN)}` } };
}

/** With its default settings; nobody is limited while the work itself is measured. */
async function startIdpApi(
  database: BenchDatabase,
  { vendorUrl, jwksUrl }: { vendorUrl: string; jwksUrl: string },
  cleanup: Cleanup,
): Promise<string> {
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
  return (await startApp(APP, { env }, cleanup)).url;
}

async function startChild(name: 'vendor' | 'bare', env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<string> {
  const file = path.join(__dirname, `${name}.main.js`);
  const { child, ready } = await Child.start<{ url: string }>({ name, file, env });
  cleanup.add(() => child.stop());
  return ready.url;
}

/** The query by which idp-api reads a profile, from its build: tools do not import apps. */
function profileSql(): string {
  const module = path.join(ROOT, 'apps', APP, 'dist/profile/profile.repository');
  const { FIND_OVERVIEW } = require(module) as { FIND_OVERVIEW?: unknown };
  if (typeof FIND_OVERVIEW !== 'string') throw new Error(`${module} has no query FIND_OVERVIEW`);
  return FIND_OVERVIEW;
}

/** A user on the largest plan. Personal data is not looked at by what is measured. */
async function createUser({ client }: BenchDatabase): Promise<void> {
  await client.query(
    `insert into idp.profile (krn, array_user_id, version, first_name, last_name, dob, email_address, address)
     values ($1, gen_random_uuid(), 1, 'x', 'x', 'x', 'x', 'x')`,
    [KRN],
  );
  await client.query(`insert into idp.subscription (id, krn, krn_at) values ('bench', $1, now())`, [KRN]);
  await client.query(
    `insert into idp.subscription_event (subscription_id, type, occurred_at, entitlements, payment_status)
     values ('bench', 'purchased', now() - interval '1 hour', $1, 'captured')`,
    [ENTITLEMENTS],
  );
  await client.query('analyze');
}
