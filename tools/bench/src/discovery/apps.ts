import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { request } from 'undici';
import { PROFILED } from '../chain/profile';
import { BenchDatabase } from '../delivery/database';
import { ISSUER, TokenIssuer } from '../identity/tokens';
import { type App, stackEnvironment, startApp } from '../processes/apps';
import { Child, Cleanup } from '../processes/child';

const APP = 'discovery';
/** The number of different users in whose names requests are sent, in turn. */
const USERS = 500;
/** The size of the catalog: 200 locations, each with 15 instances. */
const LOCATIONS = 200;
const INSTANCES = 15;

export const LOCATIONS_PATH = '/ids2/locations';

/** Replicas of discovery that serve a whole catalog. */
export interface DiscoveryWorld {
  readonly database: BenchDatabase;
  readonly replicas: readonly App[];
  /** The request headers of each user. */
  readonly callers: readonly Record<string, string>[];
}

interface DiscoveryOptions {
  readonly replicas: number;
  /** Whether the replicas are started so that they can be profiled. */
  readonly profiled?: boolean;
}

/** Starts replicas of discovery with a separate database and their default settings. */
export async function startDiscovery(
  serverUrl: string,
  cleanup: Cleanup,
  { replicas: count, profiled = false }: DiscoveryOptions,
): Promise<DiscoveryWorld> {
  const database = await BenchDatabase.create(serverUrl, [APP]);
  cleanup.add(() => database.close());
  await fillCatalog(database);
  const issuer = new TokenIssuer();
  const { apps } = await stackEnvironment({ bus: 'postgres', superuserUrl: database.superuserUrl });
  const env = {
    ...apps[APP],
    DATABASE_URL: database.urlFor(APP),
    JWT_SERVICE_ISSUER: ISSUER,
    JWT_SERVICE_JWKS_URL: await publishKeys(issuer, cleanup),
  };
  const nodeArguments = profiled ? PROFILED : [];
  const replicas = await Promise.all(
    Array.from({ length: count }, () => startApp(APP, { env, nodeArguments }, cleanup)),
  );
  const callers = Array.from({ length: USERS }, (_, index) => ({
    authorization: `Bearer ${issuer.tokenOf(`krn:tandem:bench:user:u${index + 1}`)}`,
  }));
  return { database, replicas, callers };
}

/** Starts the bare server, which serves the same list as a replica. @returns the server and the list's ETag */
export async function startBare(
  { replicas: [replica], callers: [headers] }: DiscoveryWorld,
  cleanup: Cleanup,
): Promise<{ bare: App; etag: string }> {
  const answer = await request(`${(replica as App).url}${LOCATIONS_PATH}`, { headers });
  const body = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`the locations were answered with ${answer.statusCode}: ${body}`);
  const etag = String(answer.headers['etag']);
  const { child, ready } = await Child.start<{ url: string }>({
    name: 'bare',
    file: path.join(__dirname, 'bare-main.js'),
    env: { NODE_ENV: 'production', BODY: body, ETAG: etag },
  });
  cleanup.add(() => child.stop());
  return { bare: { child, url: ready.url }, etag };
}

/** Serves the issuer's public keys, which the replicas request. @returns the URL of the keys */
async function publishKeys(issuer: TokenIssuer, cleanup: Cleanup): Promise<string> {
  const server = createServer((_request, response) => response.end(issuer.jwks)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanup.add(() => new Promise((closed) => server.close(closed)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`;
}

async function fillCatalog({ client }: BenchDatabase): Promise<void> {
  await client.query(
    `insert into discovery.location
     select 'loc-' || n, 'Location ' || n, 40.71, -74.01, 'US', 1, 20, n % 10 = 0, n from generate_series(1, $1) as n`,
    [LOCATIONS],
  );
  await client.query(
    `insert into discovery.location_test_ip select id, n, '192.0.2.1'::inet + n from discovery.location, generate_series(1, 2) as n`,
  );
  await client.query(
    `insert into discovery.endpoint
     select id, n, (array['lightway', 'openvpn', 'wireguard'])[n % 3 + 1], id || '-' || n || '.vpn.example.com',
       '198.51.100.1', '2001:db8::1', 443, 'udp', 1350, 'CN=' || id || '-' || n, null, null, null
       from discovery.location, generate_series(1, $1) as n`,
    [INSTANCES],
  );
}
