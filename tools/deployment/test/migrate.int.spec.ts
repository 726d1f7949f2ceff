import { deadLetterTopicOf, TOPOLOGY } from '@tandem/contracts';
import type { SchemaDefinition } from '@tandem/database';
import { BUS_SCHEMA } from '@tandem/messaging';
import { type AppDefinition, migrate } from '@tandem/service-defaults';
import { describeKafka, type FaultyServer, requireKafka, startPostgresServer } from '@tandem/testing';
import { Kafka, logLevel } from 'kafkajs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Client } from 'pg';
import { APPS } from '../../../apps/apps';

// Each process compiles its sources when it starts.
jest.setTimeout(120_000);

const ROOT = path.resolve(__dirname, '../../..');
const PASSWORD = 'chosen-for-this-role';
const SILENT = { LOG_LEVEL: 'silent' };

let server: FaultyServer & { readonly url: string };
let databases = 0;

beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

/** Returns the URL of a database that does not exist yet. */
function missingDatabase(): string {
  const url = new URL(server.url);
  url.pathname = `/missing-${++databases}`;
  return url.toString();
}

const definitionOf = async (name: string): Promise<AppDefinition> =>
  ((await import(path.join(ROOT, 'apps', name, 'src/app'))) as { app: AppDefinition }).app;

const schemaOf = async (name: string): Promise<SchemaDefinition> =>
  (await definitionOf(name)).schema as SchemaDefinition;

const environmentOf = (url: string, bus: NodeJS.ProcessEnv = { EVENT_BUS: 'postgres' }): NodeJS.ProcessEnv => ({
  ...SILENT,
  ...bus,
  MIGRATION_DATABASE_URL: url,
  DATABASE_ROLE_PASSWORD: PASSWORD,
});

async function rows(url: string, sql: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ one: string }>(sql)).rows.map(({ one }) => one);
  } finally {
    await client.end();
  }
}

const schemasIn = (url: string): Promise<string[]> =>
  rows(url, `select nspname as one from pg_namespace where nspname !~ '^pg_|^information_|^public$' order by 1`);
const topicsIn = (url: string): Promise<string[]> =>
  rows(url, 'select distinct topic as one from bus.topic_partition order by 1');

/** Returns the topics that an app publishes or handles, with their dead-letter topics. */
const topicsOf = (app: string): string[] =>
  TOPOLOGY.filter(({ publishers, consumers }) => publishers.includes(app) || consumers.includes(app))
    .flatMap(({ event }) => [event.topic, deadLetterTopicOf(event.topic)])
    .sort();

/** Runs an app's main program from its sources. */
async function runMain(app: string, args: string[], env: NodeJS.ProcessEnv) {
  const child = fork(path.join(ROOT, 'apps', app, 'src/main.ts'), args, {
    execArgv: ['--conditions=@tandem/source', '--require', '@swc-node/register'],
    env: { PATH: process.env['PATH'], SWC_NODE_PROJECT: path.join(ROOT, 'tsconfig.base.json'), ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let out = '';
  let err = '';
  child.stdout?.on('data', (text) => (out += String(text)));
  child.stderr?.on('data', (text) => (err += String(text)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

describe('on the Postgres bus, the migrate command', () => {
  it('creates the database, schemas and rights when every app runs it twice concurrently', async () => {
    const url = missingDatabase();
    const both = [...APPS, ...APPS];
    const ran = await Promise.all(both.map(async ({ name }) => migrate(await definitionOf(name), environmentOf(url))));
    expect(await schemasIn(url)).toEqual(['bus', ...APPS.map(({ role }) => role)].sort());
    expect(await topicsIn(url)).toEqual([...new Set(APPS.flatMap(({ name }) => topicsOf(name)))].sort());
    const schemas = await Promise.all(APPS.map(({ name }) => schemaOf(name)));
    const own = schemas.reduce((sum, { migrations }) => sum + migrations.length, 0);
    expect(ran.flat().length - own).toBe(BUS_SCHEMA.migrations.length);
    const publishes = await rows(url, `select role_name || ' ' || topic as one from bus.role_publishes order by 1`);
    for (const { event, publishers } of TOPOLOGY)
      for (const { name, role } of APPS)
        expect(publishes.includes(`${role} ${event.topic}`)).toBe(publishers.includes(name));
  });

  it('applies no migration the second time, and keeps the rights of other apps', async () => {
    const url = missingDatabase();
    for (const app of ['partner-gateway', 'postback-dispatcher'])
      await migrate(await definitionOf(app), environmentOf(url));
    const rights = `select role_name || ' ' || topic as one from bus.role_consumes order by 1`;
    const before = await rows(url, rights);
    expect(await migrate(await definitionOf('partner-gateway'), environmentOf(url))).toEqual([]);
    expect(await rows(url, rights)).toEqual(before);
    expect(before).toContain('postback sale.completed');
  });

  it('lets the app log in with DATABASE_ROLE_PASSWORD', async () => {
    const url = missingDatabase();
    await migrate(await definitionOf('webhook-ingest'), environmentOf(url));
    const own = new URL(url);
    own.username = 'ingest';
    own.password = PASSWORD;
    expect(await rows(own.toString(), 'select current_user as one')).toEqual(['ingest']);
  });

  it.each(['idp-support', 'voucher-service'])(
    'of %s creates only the bus, and the schema and topics of this app',
    async (name) => {
      const url = missingDatabase();
      await migrate(await definitionOf(name), environmentOf(url));
      expect(await schemasIn(url)).toEqual(['bus', (await schemaOf(name)).schema].sort());
      expect(await topicsIn(url)).toEqual(topicsOf(name));
    },
  );

  it('of an app without events creates no bus', async () => {
    const url = missingDatabase();
    await migrate(await definitionOf('discovery'), environmentOf(url));
    expect(await schemasIn(url)).toEqual(['discovery']);
  });
});

describeKafka('on Kafka, the migrate command', () => {
  it('creates the topics that each app publishes or handles, and no bus in Postgres', async () => {
    const url = missingDatabase();
    const brokers = requireKafka();
    const bus = { EVENT_BUS: 'kafka', KAFKA_BROKERS: brokers.join(',') };
    await Promise.all(APPS.map(async ({ name }) => migrate(await definitionOf(name), environmentOf(url, bus))));
    expect(await schemasIn(url)).toEqual(APPS.map(({ role }) => role).sort());
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    const topics = await admin.listTopics();
    await admin.disconnect();
    expect(topics).toEqual(expect.arrayContaining(APPS.flatMap(({ name }) => topicsOf(name))));
  });
});

describe('node main.js migrate', () => {
  it('logs JSON without the password of the role, and exits with code 0', async () => {
    const env = { ...environmentOf(missingDatabase()), LOG_LEVEL: 'info' };
    const { code, out, err } = await runMain('discovery', ['migrate'], env);
    expect([code, err]).toEqual([0, '']);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string; app: string });
    expect(lines.map(({ msg }) => msg)).toEqual(['migration.ran', 'migrate.finished']);
    expect(lines[0]).toMatchObject({ app: 'discovery', schema: 'discovery', migration: 'CreateCatalog1766000000000' });
    expect(out).not.toContain(PASSWORD);
  });

  it('logs JSON when Kafka is down, and exits with code 1, which makes the orchestrator retry it', async () => {
    const bus = { EVENT_BUS: 'kafka', KAFKA_BROKERS: '127.0.0.1:1' };
    const env = { ...environmentOf(missingDatabase(), bus), LOG_LEVEL: 'info' };
    const { code, out } = await runMain('webhook-ingest', ['migrate'], env);
    expect(code).toBe(1);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; app: string });
    expect(lines.map(({ level, app }) => [level, app])).toEqual([['warn', 'webhook-ingest']]);
  });

  it('names each invalid variable, and exits with code 78', async () => {
    const { code, err } = await runMain('voucher-service', ['migrate'], {
      MIGRATION_DATABASE_URL: 'postgres://user@host',
      EVENT_BUS: 'kafka',
    });
    expect(code).toBe(78);
    expect(err).toContain('MIGRATION_DATABASE_URL: must be a postgres:// URL with the name of a database');
    expect(err).toContain('DATABASE_ROLE_PASSWORD is not set');
    expect(err).toContain('KAFKA_BROKERS is not set, and EVENT_BUS is kafka');
  });

  it('exits with code 1 when Postgres is down, which makes the orchestrator retry it', async () => {
    const env = environmentOf('postgres://postgres@127.0.0.1:1/tandem');
    const { code, err } = await runMain('discovery', ['migrate'], env);
    expect(code).toBe(1);
    expect(err).toMatch(/^discovery could not migrate: .*ECONNREFUSED/);
  });

  it('refuses an unknown argument with exit code 64', async () => {
    const { code, err } = await runMain('discovery', ['migrat'], {});
    expect([code, err]).toEqual([64, 'usage: node main.js [migrate | wait-for-migration], not: migrat\n']);
  });
});
