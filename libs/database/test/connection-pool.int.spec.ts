import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createTestDatabase, eventually, SwallowingProxy, type TestDatabase } from '@tandem/testing';
import { setImmediate } from 'node:timers/promises';
import { register } from 'prom-client';
import { DataSource } from 'typeorm';
import { connectPatiently, DatabaseModule, dataSourceOptions, queryPrepared } from '../src';

/** Returns the exported metrics of one app's pool. */
async function shown(app: string): Promise<Record<string, number>> {
  const text = await register.metrics();
  const lines = [...text.matchAll(/^database_pool_(\w+)\{app="([\w-]+)"(?:,state="(\w+)")?\} (\d+)$/gm)];
  return Object.fromEntries(
    lines.flatMap(([, name, of, state, value]) => (of === app ? [[state ?? name, Number(value)]] : [])),
  );
}

describe('the pool of an app', () => {
  let database: TestDatabase;
  const running: { close(): Promise<void> }[] = [];

  /** Starts an app that has only a pool. */
  async function startApp(
    url: string,
    poolMax: number,
    more: { applicationName: string; statementTimeoutMs?: number },
  ) {
    @Module({ imports: [DatabaseModule.register({ DATABASE_URL: url, DATABASE_POOL_MAX: poolMax }, more)] })
    class TestModule {}
    const nest = await NestFactory.createApplicationContext(TestModule, { logger: false });
    running.push(nest);
    return nest;
  }

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'database-lib-empty', prepare: async () => undefined });
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.close();
  });
  afterAll(() => database.drop());

  it('shows busy and idle connections and waiting requests in the metrics, until the app has ended', async () => {
    const nest = await startApp(database.superuserUrl, 2, { applicationName: 'pool-of-two' });
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

  it.each<[string, (source: DataSource) => Promise<unknown>]>([
    ['in a transaction', (source) => source.transaction((manager) => manager.query('select 1'))],
    ['alone', (source) => source.query('select 1')],
  ])('reconnects after a vanished server has left one statement (%s) unanswered', async (_name, ask) => {
    const proxy = await SwallowingProxy.start(new URL(database.superuserUrl));
    running.push({ close: () => proxy.stop() });
    const url = new URL(database.superuserUrl);
    url.host = `127.0.0.1:${proxy.port}`;
    const nest = await startApp(url.toString(), 4, { applicationName: 'pool-of-four', statementTimeoutMs: 100 });
    const source = nest.get(DataSource);
    await Promise.all(Array.from({ length: 4 }, () => source.query('select 1')));
    expect(await shown('pool-of-four')).toMatchObject({ busy: 0, idle: 4 });

    proxy.failOver();
    await expect(ask(source)).rejects.toThrow('Query read timeout');
    expect(await source.query('select 1 as one')).toEqual([{ one: 1 }]);
    expect(await shown('pool-of-four')).toMatchObject({ busy: 0, idle: 1 });
  });

  it('reconnects, but is not in the metrics, if Nest does not provide its data source', async () => {
    const proxy = await SwallowingProxy.start(new URL(database.superuserUrl));
    running.push({ close: () => proxy.stop() });
    const url = new URL(database.superuserUrl);
    url.host = `127.0.0.1:${proxy.port}`;
    const options = { url: url.toString(), applicationName: 'pool-beside', poolMax: 4, statementTimeoutMs: 100 };
    const source = await connectPatiently(dataSourceOptions(options));
    running.push({ close: () => source.destroy() });
    await Promise.all(Array.from({ length: 4 }, () => source.query('select 1')));

    proxy.failOver();
    await expect(source.query('select 1')).rejects.toThrow('Query read timeout');
    expect(await source.query('select 1 as one')).toEqual([{ one: 1 }]);
    expect(await shown('pool-beside')).toEqual({});
  });

  it.each<[string, (source: DataSource) => Promise<unknown>]>([
    ['in a transaction', (source) => source.transaction((manager) => manager.query('insert into item values (1)'))],
    ['alone', (source) => source.query('insert into item values (1)')],
  ])(
    'reconnects after a server has refused to write (%s), because another server may be the primary now',
    async (_name, write) => {
      await database.query('create table if not exists item (id int)');
      const nest = await startApp(database.superuserUrl, 2, { applicationName: 'pool-of-reads' });
      const source = nest.get(DataSource);
      const settings = Array.from({ length: 2 }, () =>
        source.query('set default_transaction_read_only = on; select pg_sleep(0.1)'),
      );
      await Promise.all(settings);
      expect(await shown('pool-of-reads')).toMatchObject({ busy: 0, idle: 2 });

      await expect(write(source)).rejects.toThrow('read-only transaction');
      await write(source);
      expect(await shown('pool-of-reads')).toMatchObject({ busy: 0, idle: 1 });
    },
  );

  it('keeps its idle connections when a statement with its own time limit gets no answer in time', async () => {
    const nest = await startApp(database.superuserUrl, 2, { applicationName: 'pool-with-limits' });
    const source = nest.get(DataSource);
    await Promise.all(Array.from({ length: 2 }, () => source.query('select pg_sleep(0.05)')));
    const late = queryPrepared(source, 'late', 'select pg_sleep(1)', [], { timeoutMs: 50 });
    await expect(late).rejects.toThrow('Query read timeout');
    await setImmediate();
    expect(await shown('pool-with-limits')).toMatchObject({ idle: 1 });
  });
});
