import { eventually } from '@tandem/testing';
import { Client } from 'pg';
import { BusTest } from './fixture/bus';
import { asEvents, note } from './fixture/note';
import { type OwnServers, startOwnServers } from './fixture/servers';

jest.setTimeout(30_000);

describe('the relay to a bus in the same database', () => {
  let test: BusTest;
  beforeEach(async () => {
    test = await BusTest.begin('postgres');
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await test.end();
  });

  const numbers = async (): Promise<number[]> => (await test.effects()).map(({ number }) => number);
  const add = async (numbers: readonly number[]): Promise<void> => {
    const writer = await test.writer();
    const notes = numbers.map((number) => note('book', number));
    await writer.outbox.transaction((manager) => writer.outbox.addMany(manager, test.topic.event, asEvents(notes)));
  };
  /**
   * Records the statements of the outbox that run from now on. The returned function ends the recording, and returns
   * the names of the statements, except `outbox-measure`.
   */
  const watchRelays = (): (() => string[]) => {
    const queries = jest.spyOn(Client.prototype, 'query');
    return () => {
      const names = queries.mock.calls.map(([query]) => (query as unknown as { name?: string }).name ?? '');
      queries.mockRestore();
      return names.filter((name) => name.startsWith('outbox-') && name !== 'outbox-measure');
    };
  };

  it('moves rows in one statement, and never reads them into the process', async () => {
    await test.reader();
    const namesOf = watchRelays();
    await add([1, 2, 3]);
    await eventually(async () => expect(await numbers()).toEqual([1, 2, 3]));
    expect(new Set(namesOf())).toEqual(new Set(['outbox-add', 'outbox-move']));
  });

  it('reads and sends the rows when the URL of the bus names another host', async () => {
    const busUrl = new URL(test.database.urlFor('writer'));
    busUrl.hostname = 'localhost';
    const namesOf = watchRelays();
    const writer = await test.writer({ busUrl: busUrl.toString() });
    await writer.outbox.transaction((manager) => writer.outbox.add(manager, test.topic.event, note('book', 1)));
    await eventually(async () => expect(await test.count('writer.outbox')).toBe(0));
    expect(await test.count('bus.event_log')).toBe(1);
    expect(new Set(namesOf())).toEqual(new Set(['outbox-add', 'outbox-read', 'outbox-delete']));
  });

  it('publishes rows that the previous version of the app added without a key hash', async () => {
    await test.reader();
    await add([1, 2]);
    await eventually(async () => expect(await numbers()).toEqual([1, 2]));
    const [row] = await test.database.query<{ key: string; headers: string; payload: Buffer }>(
      `SELECT key, headers::text, value AS payload FROM bus.event_log WHERE topic = $1 ORDER BY "offset" LIMIT 1`,
      [test.topic.event.topic],
    );
    const headers = (row?.headers ?? '').replace(/"ce_id":"[^"]+"/, `"ce_id":"01890000-0000-7000-8000-000000000001"`);
    await test.database.query(
      `INSERT INTO writer.outbox (event_id, topic, key, payload, headers)
       VALUES ('01890000-0000-7000-8000-000000000001', $1, $2, $3, $4)`,
      [test.topic.event.topic, row?.key, row?.payload, headers],
    );
    await eventually(async () => expect(await numbers()).toEqual([1, 2, 1]));
  });

  it('publishes the other topics while the bus refuses one topic', async () => {
    await test.database.query(
      `INSERT INTO writer.outbox (event_id, topic, key, key_hash, payload, headers)
       VALUES (gen_random_uuid(), 'a.topic.never.made', 'k', 1, 'x', '{}')`,
    );
    await test.reader();
    await add([1, 2, 3]);
    await eventually(async () => expect(await numbers()).toEqual([1, 2, 3]));
    expect(await test.count('writer.outbox')).toBe(1);
  });

  it('moves rows again 5 s after a failed move, even if the clock of the host has stepped back', async () => {
    const writer = await test.writer();
    await test.database.query(
      `INSERT INTO writer.outbox (event_id, topic, key, payload, headers) VALUES (gen_random_uuid(), $1, 'k', '{}', '{}')`,
      [test.topic.event.topic],
    );
    await eventually(async () => expect(await test.count('writer.outbox')).toBe(0));
    const [wall, elapsed] = [Date.now, performance.now.bind(performance)];
    jest.spyOn(Date, 'now').mockImplementation(() => wall() - 600_000);
    jest.spyOn(performance, 'now').mockImplementation(() => elapsed() + 5_000);
    const namesOf = watchRelays();
    await writer.outbox.transaction((manager) => writer.outbox.add(manager, test.topic.event, note('book', 1)));
    await eventually(async () => expect(await test.count('writer.outbox')).toBe(0));
    expect(new Set(namesOf())).toEqual(new Set(['outbox-add', 'outbox-move']));
  });
});

describe('the relay to a bus in the same database, on a server of its own', () => {
  let servers: OwnServers;
  // Deleted rows stay in the index, and each batch reads them again, while a transaction that writes is open in any
  // database of the server, or autovacuum analyzes a table. This test counts index entries, so it needs a server
  // without other transactions and without autovacuum.
  beforeAll(async () => {
    servers = await startOwnServers('postgres');
    await servers.test.database.query('ALTER SYSTEM SET autovacuum = off');
    await servers.test.database.query('SELECT pg_reload_conf()');
  }, 60_000);
  afterAll(() => servers.end());

  it('reads fewer than 4 index entries per row of a long backlog', async () => {
    const BACKLOG = 20_000;
    const { test } = servers;
    const entriesRead = async (): Promise<number> => {
      const [{ read } = { read: NaN }] = await test.database.query<{ read: number }>(
        `SELECT sum(idx_tup_read)::int AS read FROM pg_stat_user_indexes WHERE schemaname = 'writer' AND relname = 'outbox'`,
      );
      return read;
    };
    await test.database.query(
      `INSERT INTO writer.outbox (event_id, topic, key, key_hash, payload, headers)
       SELECT gen_random_uuid(), $1, 'k' || i, i, convert_to('{"book":"b","number":1}', 'utf8'), '{}' FROM generate_series(1, $2::int) i`,
      [test.topic.event.topic, BACKLOG],
    );
    await test.database.query('ANALYZE writer.outbox');
    const before = await entriesRead();
    const writer = await test.writer();
    await eventually(async () => expect(await test.count('writer.outbox')).toBe(0));
    // A session that has not reported its statistics yet reports them when it ends.
    await writer.close();
    const read = (await entriesRead()) - before;
    expect(read).toBeGreaterThan(BACKLOG / 2);
    expect(read).toBeLessThan(4 * BACKLOG);
  }, 60_000);
});
