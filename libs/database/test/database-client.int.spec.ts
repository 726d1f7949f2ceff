import {
  createTestDatabase,
  eventually,
  startPostgresServer,
  TEST_ROLE_PASSWORD,
  type TestDatabase,
} from '@tandem/testing';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Pool } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { request } from 'undici';
import {
  canWrite,
  closeClient,
  connectPatiently,
  createDataSource,
  DatabaseClient,
  dataSourceOptions,
  Deadline,
  isDatabaseUnavailable,
  isDeadlineExceeded,
  isTimeout,
  migrateSchema,
  openClient,
  queryPrepared,
  runnerOf,
  runWithDeadline,
} from '../src';
import { secondsUntilGivenUp } from './keepalives';

const NOBODY_LISTENS = 'postgres://nobody:x@127.0.0.1:1/none';
/** The apps' default KAFKA_SESSION_TIMEOUT_MS, after which the partitions of a stalled process have a new owner. */
const KAFKA_SESSION_MS = 6_000;
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => Promise.reject(new Error('the work did not fail')),
    (error: unknown) => error,
  );

describe('a connection to the database', () => {
  let database: TestDatabase;
  let source: DataSource;
  const open = (options: { poolMax?: number; statementTimeoutMs?: number } = {}): DataSource =>
    createDataSource({ url: database.superuserUrl, applicationName: 'test', ...options });

  beforeAll(async () => {
    database = await createTestDatabase({ template: 'database-lib-empty', prepare: async () => undefined });
    await database.query('create table item (id int)');
    source = await open().initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('refuses a statement with the condition canWrite while the server accepts only reads', async () => {
    const client = await openClient({ connectionString: database.superuserUrl });
    const ask = (): Promise<unknown> => client.query(`select 1 as one where ${canWrite('item')}`);
    expect(await ask()).toMatchObject({ rows: [{ one: 1 }] });
    await client.query('set default_transaction_read_only = on');
    const failure = await failureOf(ask());
    expect(isDatabaseUnavailable(failure)).toBe(true);
    await closeClient(client);
  });

  it('is ended by the server within half a minute if it belongs to no pool and the machine of the client vanishes', async () => {
    const client = await openClient({ connectionString: database.superuserUrl });
    expect(await secondsUntilGivenUp(client)).toBeLessThanOrEqual(30);
    await closeClient(client);
  });

  it('loses its locks within the default KAFKA_SESSION_TIMEOUT_MS if its process stalls in a transaction', async () => {
    await database.query('create table held (id int)');
    const stopped = source.createQueryRunner();
    await stopped.startTransaction();
    await stopped.query('lock table held');
    const from = Date.now();
    await database.query('select from held'); // waits for the lock
    expect(Date.now() - from).toBeLessThan(KAFKA_SESSION_MS);
    const error = await failureOf(stopped.query('select 1'));
    expect([error, isDatabaseUnavailable(error) || isTimeout(error)]).toEqual([error, true]);
    await stopped.release();
  });

  describe('in a transaction', () => {
    const sleepy = `with slept as materialized (select pg_sleep(0.2)) insert into item select 100 from slept returning id`;

    it('runs statements that were started together in the order of their start', async () => {
      const [, counted] = await source.transaction((manager) =>
        Promise.all([
          queryPrepared(runnerOf(manager), 'slow-insert', sleepy, []),
          queryPrepared<{ n: number }>(
            runnerOf(manager),
            'count',
            'select count(*)::int as n from item where id = 100',
            [],
          ),
        ]),
      );
      expect(counted).toEqual([{ n: 1 }]);
    });

    it('sends statements that are started together in one packet', async () => {
      await source.transaction(async (manager) => {
        const { connection } = (await runnerOf(manager).connect()) as DatabaseClient;
        const write = jest.spyOn(connection.stream as Duplex, '_writev' as never);
        await Promise.all([1, 2, 3].map((id) => queryPrepared(runnerOf(manager), 'echo', 'select $1::int', [id])));
        expect(write).toHaveBeenCalledTimes(1);
      });
    });

    it('rolls back when one of several statements that were started together fails', async () => {
      const failing = source.transaction((manager) =>
        Promise.all([
          queryPrepared(runnerOf(manager), 'insert', 'insert into item values (2)', []),
          queryPrepared(runnerOf(manager), 'fail', 'select 1 / $1::int', [0]),
          queryPrepared(runnerOf(manager), 'insert', 'insert into item values (2)', []),
        ]),
      );
      await expect(failing).rejects.toThrow('division by zero');
      expect(await source.query('select from item where id = 2')).toEqual([]);
    });
  });

  describe('that fails or breaks counts as an outage of the database', () => {
    it.each([
      ['of a data source', () => createDataSource({ url: NOBODY_LISTENS, applicationName: 'test' }).initialize()],
      ['of a pool', () => new Pool({ connectionString: NOBODY_LISTENS, Client: DatabaseClient }).query('select 1')],
      ['on its own', () => new DatabaseClient(NOBODY_LISTENS).connect()],
      ['to a name with several addresses', () => new DatabaseClient('postgres://nobody:x@localhost:1/none').connect()],
      ['to an unknown name', () => new DatabaseClient('postgres://nobody:x@unknown.invalid/none').connect()],
    ])('when it is a connection %s', async (_name, connect) => {
      expect(isDatabaseUnavailable(await failureOf(connect()))).toBe(true);
    });

    it('when it breaks during a statement, a prepared statement or a transaction', async () => {
      const server = await startPostgresServer();
      const own = await createDataSource({ url: server.url, applicationName: 'test' }).initialize();
      try {
        const broken = Promise.all([
          failureOf(own.query('select pg_sleep(60)')),
          failureOf(queryPrepared(own, 'sleep', 'select pg_sleep(60)', [])),
          failureOf(own.transaction((manager) => queryPrepared(runnerOf(manager), 'sleep', 'select pg_sleep(60)', []))),
        ]);
        await eventually(async () => {
          const running = await own.query(`select from pg_stat_activity where query like '%' || 'pg_sleep(60)'`);
          expect(running).toHaveLength(3);
        });
        await server.kill();
        for (const error of await broken) expect(isDatabaseUnavailable(error)).toBe(true);
      } finally {
        await own.destroy();
        await server.stop();
      }
    });

    it('if the server resets it while it is being opened', async () => {
      const server = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `postgres://nobody:x@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
      expect(isDatabaseUnavailable(await failureOf(new DatabaseClient(url).connect()))).toBe(true);
      server.close();
    });
  });

  it('that a changed password prevents counts as an outage, but makes the start of an app fail', async () => {
    await migrateSchema({
      schema: 'database_login',
      migrations: [],
      superuserUrl: database.superuserUrl,
      rolePassword: TEST_ROLE_PASSWORD,
    });
    const options = { url: database.urlFor('database_login'), applicationName: 'test', poolMax: 2 };
    const app = await createDataSource(options).initialize();
    const held = app.createQueryRunner();
    await held.connect();
    try {
      await database.query(`alter role database_login password 'another'`);
      expect(await held.query('select 1 as one')).toEqual([{ one: 1 }]);
      const refused = await failureOf(app.query('select 1'));
      expect([refused, isDatabaseUnavailable(refused)]).toEqual([expect.objectContaining({ code: '28P01' }), true]);
      await expect(connectPatiently(dataSourceOptions(options))).rejects.toThrow('password authentication failed');
    } finally {
      await held.release();
      await app.destroy();
      await database.query(`alter role database_login password '${TEST_ROLE_PASSWORD}'`);
    }
  });

  it('does not count as broken when a vendor refuses a call, in a transaction or outside', async () => {
    const refused = await failureOf(request('http://127.0.0.1:1'));
    expect(refused).toMatchObject({ code: 'ECONNREFUSED' });
    expect(isDatabaseUnavailable(refused)).toBe(false);
    const rethrown = await failureOf(source.transaction(() => Promise.reject(refused as Error)));
    expect(isDatabaseUnavailable(rethrown)).toBe(false);
  });

  it('has statement and lock timeouts that do not count as an outage', async () => {
    const hasty = await open({ statementTimeoutMs: 50 }).initialize();
    const slow = await failureOf(hasty.query('select pg_sleep(5)'));
    expect([isTimeout(slow), isDatabaseUnavailable(slow)]).toEqual([true, false]);
    const locked = await source.transaction(async (manager) => {
      await manager.query('lock table item');
      return failureOf(database.query(`set lock_timeout = 50; lock table item`));
    });
    expect([isTimeout(locked), isDatabaseUnavailable(locked)]).toEqual([true, false]);
    await hasty.destroy();
  });

  it('is closed when a prepared query times out, and the next query gets another connection', async () => {
    const single = await open({ poolMax: 1 }).initialize();
    const late = await failureOf(queryPrepared(single, 'late', 'select pg_sleep(3)', [], { timeoutMs: 50 }));
    expect(isDatabaseUnavailable(late)).toBe(true);
    const next = queryPrepared<{ one: number }>(single, 'one', 'select 1 as one', [], { timeoutMs: 1_000 });
    expect(await next).toEqual([{ one: 1 }]);
    await single.destroy();
  });

  it('does not carry the context of the request that opened it', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const pool = new Pool({ connectionString: database.superuserUrl, Client: DatabaseClient, max: 1 });
    pool.on('connect', (client) => client.on('notification', () => seen.push(storage.getStore())));
    await storage.run('the first request', () => pool.query('listen news'));
    await pool.query(`notify news`);
    await pool.end();
    expect(seen).toEqual([undefined]);
  });

  describe('in a request with a deadline', () => {
    const insert = (manager: EntityManager, id: number): Promise<unknown> =>
      manager.query('insert into item values ($1)', [id]);
    const stored = async (id: number): Promise<boolean> =>
      (await database.query('select from item where id = $1', [id])).length > 0;

    it('commits before the deadline', async () => {
      await runWithDeadline(new Deadline(60_000), () => source.transaction((manager) => insert(manager, 1)));
      expect(await stored(1)).toBe(true);
    });

    it.each([
      ['its deadline has passed', () => new Deadline(0)],
      ['its caller has disconnected', () => new Deadline(60_000, () => true)],
    ])('rolls back when %s', async (_name, deadline) => {
      const late = runWithDeadline(deadline(), () => source.transaction((manager) => insert(manager, 2)));
      expect(isDeadlineExceeded(await failureOf(late))).toBe(true);
      expect(await stored(2)).toBe(false);
      expect(await source.query('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('commits after the deadline if the request was answered before the commit', async () => {
      const deadline = new Deadline(0);
      deadline.end();
      await runWithDeadline(deadline, () => source.transaction((manager) => insert(manager, 3)));
      expect(await stored(3)).toBe(true);
    });
  });
});
