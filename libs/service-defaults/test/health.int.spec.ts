import { type DynamicModule, Module } from '@nestjs/common';
import { DatabaseModule, migrateSchema } from '@tandem/database';
import { BUS_SCHEMA, EventsModule, MESSAGING_MIGRATIONS } from '@tandem/messaging';
import {
  createTestDatabase,
  eventually,
  startPostgresServer,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
} from '@tandem/testing';
import { DataSource } from 'typeorm';
import { request } from 'undici';
import { defineErrors, PROBLEM_FORMAT } from '@tandem/http-api';
import { BaseConfig, bootstrap, defineApp, type RunningApp, ServiceModule, WithDatabase, WithEvents } from '../src';

class SampleConfig extends WithEvents(WithDatabase(BaseConfig)) {}

@Module({})
class SampleModule {
  static register(config: SampleConfig): DynamicModule {
    return {
      module: SampleModule,
      imports: [
        ServiceModule.register(config),
        DatabaseModule.register(config, { applicationName: 'sample' }),
        EventsModule.register(config, { app: 'sample' }),
      ],
    };
  }
}

const start = (env: NodeJS.ProcessEnv): Promise<RunningApp> =>
  bootstrap(
    defineApp({
      name: 'sample',
      config: SampleConfig,
      module: SampleModule.register.bind(SampleModule),
      errors: defineErrors([]),
      errorFormat: PROBLEM_FORMAT,
      openapi: { title: 'Sample', description: 'Sample' },
    }),
    { PORT: '0', LOG_LEVEL: 'silent', DATABASE_POOL_MAX: '2', ...env },
  );

async function migrate(superuserUrl: string): Promise<void> {
  const options = { superuserUrl, rolePassword: TEST_ROLE_PASSWORD };
  await migrateSchema({ ...options, ...BUS_SCHEMA });
  await migrateSchema({ ...options, schema: 'sample', migrations: MESSAGING_MIGRATIONS });
}

async function health(app: RunningApp, path: 'readyz' | 'livez'): Promise<{ status: number; checks: unknown }> {
  const { statusCode, body } = await request(`${app.url}/${path}`);
  const { checks } = (await body.json()) as { checks: unknown };
  return { status: statusCode, checks };
}

const READY = { status: 200, checks: { database: { ok: true } } };

describe('the health of an app', () => {
  let database: TestDatabase;
  let app: RunningApp;

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'service-defaults-1', prepare: migrate });
  });
  afterEach(() => app.close());
  afterAll(() => database.drop());

  it('is good while Kafka is unreachable', async () => {
    app = await start({
      DATABASE_URL: database.urlFor('sample'),
      EVENT_BUS: 'kafka',
      KAFKA_BROKERS: '127.0.0.1:1',
      SHUTDOWN_TIMEOUT_MS: '1000',
    });
    expect(await health(app, 'readyz')).toEqual(READY);
    expect((await health(app, 'livez')).status).toBe(200);
  });

  it('is good while every connection of the pool is busy', async () => {
    app = await start({ DATABASE_URL: database.urlFor('sample') });
    const source = app.nest.get(DataSource);
    const runners = [source.createQueryRunner(), source.createQueryRunner()];
    await Promise.all(runners.map((runner) => runner.connect()));
    expect(await health(app, 'readyz')).toEqual(READY);
    await Promise.all(runners.map((runner) => runner.release()));
  });

  it('is good while Postgres accepts only reads, and is then checked on a new connection each time', async () => {
    app = await start({ DATABASE_URL: database.urlFor('sample') });
    const sessions = (): Promise<object[]> =>
      database.query(
        `select pid from pg_stat_activity where application_name = 'readyz' and datname = current_database()`,
      );
    const role = `alter role sample in database ${database.name}`;
    await database.query(`${role} set default_transaction_read_only = on`);
    try {
      expect(await health(app, 'readyz')).toEqual(READY);
      await eventually(async () => expect(await sessions()).toEqual([]), { timeoutMs: 2_000 });
      expect(await health(app, 'readyz')).toEqual(READY);
    } finally {
      await database.query(`${role} reset default_transaction_read_only`);
    }
    await eventually(async () => {
      expect(await health(app, 'readyz')).toEqual(READY);
      expect(await sessions()).toHaveLength(1);
    });
  });

  it('is bad while Postgres is down, and good again afterwards', async () => {
    const server = await startPostgresServer();
    await migrate(server.url);
    const url = new URL(server.url);
    Object.assign(url, { username: 'sample', password: TEST_ROLE_PASSWORD });
    app = await start({ DATABASE_URL: url.toString() });
    expect(await health(app, 'readyz')).toEqual(READY);
    await server.kill();
    await eventually(async () => expect(await health(app, 'readyz')).toMatchObject({ status: 503 }));
    expect((await health(app, 'livez')).status).toBe(200);
    await server.start();
    await eventually(async () => expect(await health(app, 'readyz')).toEqual(READY));
    await server.stop();
  });
});
