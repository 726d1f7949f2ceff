import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { urlForRole } from '@tandem/database';
import type { Client } from 'pg';
import { BenchDatabase } from '../delivery/database';
import { type Environment, stackEnvironment, startApp } from '../processes/apps';
import { Child, Cleanup, ROOT } from '../processes/child';

/** Rate limits that no measurement reaches, so that the cost of the work itself is measured. */
const NO_LIMITS: Environment = {
  RATE_LIMIT_CHECKOUT_PER_MINUTE: '1000000000',
  RATE_LIMIT_READ_PER_MINUTE: '1000000000',
  RATE_LIMIT_WRITE_PER_MINUTE: '1000000000',
  RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE: '1000000000',
};

/** A server to measure: its URL and its process. */
export interface Started {
  readonly url: string;
  readonly pid: number;
}

/** Starts an app that uses the measurement's own database. */
async function startOn(
  database: Database,
  { name, role }: { name: string; role: string },
  cleanup: Cleanup,
  own: Environment = {},
): Promise<Started> {
  const { apps } = await stackEnvironment({ bus: 'postgres', superuserUrl: database.superuserUrl });
  const databaseUrl = database.urlFor(role);
  const env = { ...apps[name], DATABASE_URL: databaseUrl, BUS_DATABASE_URL: databaseUrl, ...own };
  const { url, child } = await startApp(name, { env }, cleanup);
  return { url, pid: child.pid };
}

/** Starts voucher-service. @returns its URL */
export const startVoucherService = async (database: Database, cleanup: Cleanup): Promise<string> =>
  (await startOn(database, { name: 'voucher-service', role: 'voucher' }, cleanup)).url;

/**
 * Starts partner-gateway.
 * @param voucherServiceUrl null if voucher-service is not called
 * @returns the started app
 */
export const startPartnerGateway = (
  database: Database,
  voucherServiceUrl: string | null,
  cleanup: Cleanup,
): Promise<Started> =>
  startOn(database, { name: 'partner-gateway', role: 'partner' }, cleanup, {
    ...NO_LIMITS,
    VOUCHER_SERVICE_URL: voucherServiceUrl ?? 'http://127.0.0.1:9',
  });

/** Starts a bare server that runs the apps' queries, connected as one role. */
export async function startBareServer(database: Database, role: string, cleanup: Cleanup): Promise<Started> {
  const { child, ready } = await Child.start<{ url: string }>({
    name: 'bare server',
    file: path.join(__dirname, '../bare/bare-main.js'),
    env: {
      NODE_ENV: 'production',
      DATABASE_URL: database.urlFor(role),
      AUTHENTICATE_SQL: queryOf('partner-gateway/dist/token/token.repository', 'AUTHENTICATE_SQL'),
      PAGE_SQL: PAGE_SQL(),
    },
  });
  cleanup.add(() => child.stop());
  return { url: ready.url, pid: child.pid };
}

/** The query of a page as voucher-service runs it. Its values are group, partner, environment, position and limit. */
export const PAGE_SQL = (): string => queryOf('voucher-service/dist/coupon/coupon.repository', 'PAGE');

/** Loads a query from the build of an app, because tools do not import apps. */
function queryOf(module: string, name: string): string {
  const query = builtModule<Record<string, unknown>>(module)[name];
  if (typeof query !== 'string') throw new Error(`${module} has no query ${name}`);
  return query;
}

/** Loads a module from the build of an app. */
export const builtModule = <Exports>(module: string): Exports => require(path.join(ROOT, 'apps', module)) as Exports;

/** A database with the schemas of partner-gateway and voucher-service. */
export interface Database {
  readonly superuserUrl: string;
  readonly client: Client;
  urlFor(role: string): string;
}

/**
 * The password of both roles in all databases of a run. Roles belong to the whole server, and the migration of each new
 * database changes their passwords, so `createDatabase` sets this password again.
 */
const ROLE_PASSWORD = randomBytes(12).toString('hex');

/** Creates a separate database. Its connections are closed when the measurement ends. */
export async function createDatabase(serverUrl: string, cleanup: Cleanup): Promise<Database> {
  const database = await BenchDatabase.create(serverUrl, ['partner-gateway', 'voucher-service']);
  cleanup.add(() => database.close());
  const { client, superuserUrl } = database;
  for (const role of ['partner', 'voucher']) await client.query(`alter role ${role} password '${ROLE_PASSWORD}'`);
  return { client, superuserUrl, urlFor: (role) => urlForRole(superuserUrl, role, ROLE_PASSWORD) };
}
