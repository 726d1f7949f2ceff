import { createDataSource, migrateSchema } from '@tandem/database';
import { bootstrap, type RunningApp } from '@tandem/service-defaults';
import {
  createTestDatabase,
  eventually,
  templateOf,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
  TestIssuers,
  type TokenChange,
  uniqueId,
} from '@tandem/testing';
import { request } from 'undici';
import { app } from '../src/app';
import { type CatalogLocation, CatalogRepository } from '../src/catalog/catalog.repository';
import { CatalogService } from '../src/catalog/catalog.service';
import { CatalogImportService } from '../src/catalog-import/catalog-import.service';
import type { EndpointView } from '../src/catalog/catalog.dto';
import { SCHEMA } from '../src/migrations';

const PATH = '/ids2/locations';

export interface DiscoveryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the parsed JSON; null when the body is empty or compressed
  readonly body: any;
}

interface Asked {
  /** The token to send instead of a generated one; null sends no token. */
  readonly token?: string | null;
  readonly headers?: Record<string, string | string[]>;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly body?: string;
  /** The URL of another replica, to which the request is sent. */
  readonly url?: string;
}

/** A discovery app on a real database. A real server publishes the keys of the issuers of service and OpenID tokens. */
export class Discovery {
  private constructor(
    readonly database: TestDatabase,
    readonly issuers: TestIssuers,
    readonly environment: NodeJS.ProcessEnv,
  ) {}

  running!: RunningApp;
  private token!: string;

  static async start(env: NodeJS.ProcessEnv = {}): Promise<Discovery> {
    const database = await createTestDatabase({
      template: templateOf('discovery', SCHEMA.migrations),
      prepare: async (superuserUrl) =>
        void (await migrateSchema({ superuserUrl, ...SCHEMA, rolePassword: TEST_ROLE_PASSWORD })),
    });
    const issuers = await TestIssuers.start();
    const discovery = new Discovery(database, issuers, {
      NODE_ENV: 'test',
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.urlFor('discovery'),
      CATALOG_POLL_MS: '50',
      ...issuers.environment,
      ...env,
    });
    discovery.running = await discovery.startReplica();
    discovery.token = await discovery.tokenOf();
    return discovery;
  }

  startReplica(env: NodeJS.ProcessEnv = {}): Promise<RunningApp> {
    return bootstrap(app, { ...this.environment, ...env });
  }

  async stop(): Promise<void> {
    await this.running.close();
    await Promise.all([this.issuers.stop(), this.database.drop()]);
  }

  /** Runs `work` on the catalog as the command line does, on a separate connection. */
  async withImport<T>(work: (catalog: CatalogImportService) => Promise<T>): Promise<T> {
    const url = this.database.urlFor('discovery');
    const dataSource = createDataSource({ url, applicationName: 'test', poolMax: 1 });
    await dataSource.initialize();
    try {
      return await work(new CatalogImportService(new CatalogRepository(dataSource)));
    } finally {
      await dataSource.destroy();
    }
  }

  /** Imports a catalog, and waits until the app serves it. */
  async serve(...locations: readonly CatalogLocation[]): Promise<void> {
    await this.withImport(async (catalog) => {
      await (await catalog.planImport(JSON.stringify({ locations }))).apply(true);
    });
    await this.follow();
  }

  /** Waits until a replica serves the content of the tables. */
  async follow(replica = this.running): Promise<void> {
    const [row] = await this.database.query('select version from discovery.catalog_version');
    await eventually(() => expect(replica.nest.get(CatalogService).current.version).toBe(row?.['version']));
  }

  tokenOf(change: TokenChange = {}): Promise<string> {
    return this.issuers.token(`krn:tandem:test:user:${uniqueId('u')}`, { secondFactor: false, ...change });
  }

  /** Sends a request to `/ids2/locations` + `path`, with a token unless `token` is null. The answer's body is not decompressed. */
  async ask(
    path = '',
    { token = this.token, headers, method = 'GET', body, url }: Asked = {},
  ): Promise<DiscoveryAnswer> {
    const answer = await request(`${url ?? this.running.url}${PATH}${path}`, {
      method,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...headers },
      body,
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const isJson = bytes.length > 0 && answer.headers['content-encoding'] === undefined;
    return {
      status: answer.statusCode,
      headers: answer.headers,
      bytes,
      body: isJson ? JSON.parse(bytes.toString()) : null,
    };
  }
}

/** Creates a location in the format of a catalog file. */
export const locationOf = (id: string, change: Partial<CatalogLocation> = {}): CatalogLocation => ({
  id,
  name: `Location ${id}`,
  latitude: 40.71,
  longitude: -74.01,
  country_code: 'US',
  instance_count_min: 1,
  instance_count_max: 20,
  is_geolocated: false,
  popularity_order: 1,
  test_ips: ['192.0.2.1', '192.0.2.2'],
  endpoints: [endpointOf(`${id}-1.vpn.example.com`)],
  ...change,
});

export const endpointOf = (host: string, change: Partial<EndpointView> = {}): EndpointView => ({
  type: 'lightway',
  host,
  ip: { v4: '192.0.2.10' },
  port: 443,
  transport: 'udp',
  cert_dn: `CN=${host}`,
  ...change,
});
