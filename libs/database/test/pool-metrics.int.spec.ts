import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createTestDatabase, eventually, type TestDatabase } from '@tandem/testing';
import { register } from 'prom-client';
import { DataSource } from 'typeorm';
import { DatabaseModule } from '../src';

/** Returns the exported metrics of one app's pool. */
async function shown(app: string): Promise<Record<string, number>> {
  const text = await register.metrics();
  const lines = [...text.matchAll(/^database_pool_(\w+)\{app="([\w-]+)"(?:,state="(\w+)")?\} (\d+)$/gm)];
  return Object.fromEntries(
    lines.flatMap(([, name, of, state, value]) => (of === app ? [[state ?? name, Number(value)]] : [])),
  );
}

describe('the metrics of the pool', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ template: 'database-lib-empty', prepare: async () => undefined });
  });
  afterAll(() => database.drop());

  it('show busy and idle connections and waiting requests, until the app has ended', async () => {
    @Module({
      imports: [
        DatabaseModule.register(
          { DATABASE_URL: database.superuserUrl, DATABASE_POOL_MAX: 2 },
          { applicationName: 'pool-of-two' },
        ),
      ],
    })
    class TestModule {}
    const nest = await NestFactory.createApplicationContext(TestModule, { logger: false });
    const source = nest.get(DataSource);
    const sleeps = Array.from({ length: 3 }, () => source.query('select pg_sleep(1)'));

    await eventually(async () =>
      expect(await shown('pool-of-two')).toEqual({ busy: 2, idle: 0, connections_max: 2, waiting: 1 }),
    );
    await Promise.all(sleeps);
    expect(await shown('pool-of-two')).toEqual({ busy: 0, idle: 2, connections_max: 2, waiting: 0 });
    await nest.close();
    expect(await shown('pool-of-two')).toEqual({});
  });
});
