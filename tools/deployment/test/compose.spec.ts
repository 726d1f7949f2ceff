import type { AppDefinition } from '@tandem/service-defaults';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { APPS, SITES, variableOf } from '../../../apps/apps';
import {
  appProblems,
  type ComposeFile,
  type ComposeService,
  type Container,
  containerOf,
  imageProblems,
  migrationProblems,
  privilegeProblems,
  readCompose,
} from '../src';

const ROOT = path.resolve(__dirname, '../../..');
const FILE = path.join(ROOT, 'docker-compose.yml');
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { version: string };

const TOOLS = ['sandbox'];
/** The edge: nginx, a third-party image with a configuration from this project. */
const EDGE = 'edge';
const SERVERS = ['postgres', 'kafka'];
const compose = readCompose(FILE, {});
const container = (name: string, file: ComposeFile = compose): Container => {
  const service = file.services[name];
  if (!service) throw new Error(`docker-compose.yml has no service ${name}`);
  return containerOf(name, service);
};
const definitionOf = async (name: string): Promise<AppDefinition> =>
  ((await import(path.join(ROOT, 'apps', name, 'src/app'))) as { app: AppDefinition }).app;
/** Reads the config of a tool. The tool is imported by path, because it is not a library but the subject of these tests. */
async function readConfigOf<T>(tool: string, file: ComposeFile = compose): Promise<T> {
  const { readConfig } = (await import(path.join(ROOT, 'tools', tool, 'src/config'))) as {
    readConfig: (env: NodeJS.ProcessEnv) => T;
  };
  return readConfig(container(tool, file).environment);
}
async function readConsoleOf({ environment }: Container): Promise<unknown> {
  const { readConsole } = (await import(path.join(ROOT, 'tools/edge/src/config'))) as {
    readConsole: (env: NodeJS.ProcessEnv) => unknown;
  };
  return readConsole(environment);
}
interface SandboxConfig {
  readonly consoleUrl: string;
  readonly webhookSecret: string;
  readonly checkoutSigningKeys: string;
  readonly vendor: { readonly appKey: string; readonly serverToken: string; readonly webhookSecret: string };
}
const ours = Object.keys(compose.services).filter((name) => compose.services[name]?.image.startsWith('tandem/'));

describe('docker-compose.yml', () => {
  it('has a service and a migration for each app, a service for each site and the sandbox, and no other program of Tandem', () => {
    const sites = SITES.map(({ name }) => name);
    const expected = [...APPS.flatMap(({ name }) => [name, `migrate-${name}`]), ...sites, ...TOOLS];
    expect(ours.sort()).toEqual(expected.sort());
  });

  describe.each(APPS)('the service $name', ({ name, port, role }) => {
    it('starts with its environment, on the port that apps/apps.js states', async () => {
      expect(appProblems(container(name), { app: await definitionOf(name), port })).toEqual([]);
    });

    it('logs in as its own role, whose password its migration sets', () => {
      expect(new URL(container(name).environment['DATABASE_URL'] ?? '').username).toBe(role);
      expect(migrationProblems(container(`migrate-${name}`), container(name))).toEqual([]);
    });

    it('has the image with the version of package.json, built from the folder of the app', () => {
      expect(imageProblems(container(name), name, version)).toEqual([]);
      expect(compose.services[name]?.build?.args).toEqual({ APP: name, VERSION: version });
    });

    it('depends on the success of its migration, which depends on healthy services of Postgres and Kafka', () => {
      const started = { condition: 'service_completed_successfully' };
      expect(compose.services[name]?.depends_on).toEqual({ [`migrate-${name}`]: started });
      const healthy = { condition: 'service_healthy' };
      expect(compose.services[`migrate-${name}`]?.depends_on).toEqual({ postgres: healthy, kafka: healthy });
    });
  });

  it.each(TOOLS)('has the image of %s, built from the folder of the tool', (name) => {
    expect(imageProblems(container(name), name, version)).toEqual([]);
    expect(compose.services[name]?.build?.args).toEqual({ GROUP: 'tools', APP: name, VERSION: version });
  });

  it.each(SITES)('has the image of $name, built by its own Dockerfile, and publishes no port', ({ name }) => {
    expect(imageProblems(container(name), name, version)).toEqual([]);
    const { build, ports } = compose.services[name] as ComposeService;
    expect(build).toEqual({ dockerfile: `apps/${name}/image/Dockerfile`, args: { VERSION: version } });
    expect(readFileSync(path.join(ROOT, String(build?.dockerfile)), 'utf8')).toContain(`tandem/${name}`);
    expect(ports).toBeUndefined();
  });

  it('gives the console the issuer whose tokens partner-gateway and idp-support accept', async () => {
    for (const env of [{}, { SANDBOX_PORT: '4200' }, { JWT_SERVICE_ISSUER: 'https://issuer.example.com/a' }]) {
      const file = readCompose(FILE, env);
      const { issuer } = (await readConsoleOf(container('console', file))) as { issuer: string };
      expect(issuer).toBe(container('partner-gateway', file).environment['JWT_SERVICE_ISSUER']);
      expect(container('idp-support', file).environment['JWT_SERVICE_ISSUER']).toBe(issuer);
    }
  });

  it('gives the sandbox and partner-gateway the URL of the console at the edge', async () => {
    for (const env of [{}, { EDGE_PORT: '9090' }] as NodeJS.ProcessEnv[]) {
      const file = readCompose(FILE, env);
      const edge = `http://127.0.0.1:${env.EDGE_PORT ?? 8080}/console`;
      expect((await readConfigOf<SandboxConfig>('sandbox', file)).consoleUrl).toBe(edge);
      expect(container('partner-gateway', file).environment['CONSOLE_URL']).toBe(edge);
    }
  });

  it.each([...ours, EDGE])('gives %s no more privileges than it needs', (name) => {
    expect(privilegeProblems(container(name))).toEqual([]);
  });

  it('publishes ports on the loopback interface only', () => {
    const ports = Object.values(compose.services).flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
  });

  it('has only one profile, observability, which contains only prometheus, grafana and jaeger', () => {
    const withProfile = Object.entries(compose.services).filter(([, { profiles }]) => profiles !== undefined);
    expect(withProfile.every(([, { profiles }]) => profiles?.join() === 'observability')).toBe(true);
    expect(withProfile.map(([name]) => name)).toEqual(['prometheus', 'grafana', 'jaeger']);
    expect(Object.keys(compose.services)).toEqual(expect.arrayContaining(SERVERS));
  });

  it('gives the edge the generated configuration, and starts it when every app and site is healthy', () => {
    const { volumes, ports, depends_on: dependsOn } = compose.services[EDGE] as ComposeService;
    expect(volumes).toEqual(['./tools/edge/nginx.conf:/etc/nginx/nginx.conf:ro']);
    expect(ports).toEqual(['127.0.0.1:8080:8080']);
    const programs = [...APPS, ...SITES];
    expect(dependsOn).toEqual(Object.fromEntries(programs.map(({ name }) => [name, { condition: 'service_healthy' }])));
  });

  it('addresses each app by the name and port of its service', () => {
    for (const { name, port } of APPS)
      for (const service of ours) {
        const url = container(service).environment[variableOf(name, 'URL')];
        if (url !== undefined) expect([service, url]).toEqual([service, `http://${name}:${port}`]);
      }
  });

  it('gives the sandbox the same secrets of webhooks, checkout tokens and the vendor as the apps', async () => {
    const sandbox = await readConfigOf<SandboxConfig>('sandbox');
    const { environment: ingest } = container('webhook-ingest');
    expect(ingest['PAYMENTS_WEBHOOK_SECRETS']?.split(',')[0]).toBe(sandbox.webhookSecret);
    expect(ingest['ARRAY_WEBHOOK_SECRETS']?.split(',')[0]).toBe(sandbox.vendor.webhookSecret);
    expect(ingest['VENDOR_APP_KEY']).toBe(sandbox.vendor.appKey);
    expect(container('partner-gateway').environment['CHECKOUT_SIGNING_KEYS']).toBe(sandbox.checkoutSigningKeys);
    const { environment: idp } = container('idp-api');
    expect([idp['VENDOR_APP_KEY'], idp['VENDOR_SERVER_TOKEN']]).toEqual([
      sandbox.vendor.appKey,
      sandbox.vendor.serverToken,
    ]);
  });

  it('takes variables of the caller’s environment instead of their defaults', () => {
    const file = readCompose(FILE, { EDGE_PORT: '9090', SANDBOX_PORT: '4200', JWT_AUDIENCE: 'other' });
    expect(file.services['edge']?.ports).toEqual(['127.0.0.1:9090:8080']);
    expect(container('discovery', file).environment).toMatchObject({
      JWT_AUDIENCE: 'other',
      JWT_SERVICE_ISSUER: 'http://127.0.0.1:4200/issuer/service',
    });
  });
});

describe('the checks of a deployment', () => {
  const fault = (change: Partial<Container>): Container => ({ ...container('partner-gateway'), ...change });

  it.each([
    ['a container that runs as root', { userId: 0 }, 'partner-gateway runs as root, or sets no user'],
    ['a container without a user', { userId: undefined }, 'partner-gateway runs as root, or sets no user'],
    ['a writable root file system', { readOnlyRoot: false }, 'partner-gateway can write its root file system'],
    ['kept capabilities', { dropsAllCapabilities: false }, 'partner-gateway keeps capabilities'],
    ['a container that can gain privileges', { forbidsMorePrivileges: false }, 'partner-gateway can gain privileges'],
  ])('find %s', (_, change, problem) => {
    expect(privilegeProblems(fault(change))).toEqual([problem]);
  });

  it('find a missing variable, a wrong port and a wrong image', async () => {
    const environment = { ...container('partner-gateway').environment, PORT: '1', EMAIL_HASH_KEY: '' };
    const app = await definitionOf('partner-gateway');
    expect(appProblems(fault({ environment, ports: [2] }), { app, port: 4101 })).toEqual([
      'partner-gateway: EMAIL_HASH_KEY is not set',
      'partner-gateway listens on 1, not 4101',
      'partner-gateway is reached at 2, not 4101',
    ]);
    expect(imageProblems(fault({ image: 'tandem/sandbox:1' }), 'partner-gateway', '2')).toEqual([
      'partner-gateway has the image tandem/sandbox:1, not tandem/partner-gateway:2',
    ]);
  });

  it('find a migration that gives the role another password, or does not migrate', () => {
    const migration = container('migrate-partner-gateway');
    const environment = { ...migration.environment, DATABASE_ROLE_PASSWORD: 'other' };
    expect(migrationProblems({ ...migration, environment, args: [] }, container('partner-gateway'))).toEqual([
      'migrate-partner-gateway does not migrate',
      'migrate-partner-gateway sets another password than partner-gateway has',
    ]);
  });
});
