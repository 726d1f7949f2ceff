import { randomUUID } from 'node:crypto';
import { deadLetterTopicOf } from '@tandem/contracts';
import { eventually } from '@tandem/testing';
import { Pool } from 'pg';
import {
  type BatchSink,
  createPostgresBus,
  type EventBus,
  type Gap,
  type IncomingMessage,
  type OutgoingMessage,
} from '../src';
import { WakeSocket } from '../src/postgres/wake-socket';
import { BusTest } from './fixture/bus';

jest.setTimeout(30_000);

interface Lease {
  readonly partition: number;
  readonly epoch: string;
  readonly surplus: boolean;
}

describe('the Postgres bus', () => {
  let test: BusTest;
  let pool: Pool;
  const buses: EventBus[] = [];
  beforeEach(async () => {
    test = await BusTest.begin('postgres');
    pool = new Pool({ connectionString: test.database.urlFor('reader'), max: 4 });
    // `pool.end` does not wait for its connections, which may still be closing when the database is dropped.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
  });
  afterEach(async () => {
    for (const { consumer, publisher } of buses.splice(0)) {
      await consumer.stop();
      await consumer.close();
      await publisher.close();
    }
    await pool.end();
    await test.end();
  });

  const open = (app: 'writer' | 'reader'): EventBus => {
    const bus = createPostgresBus(test.optionsOf(app));
    buses.push(bus);
    return bus;
  };
  const message = (key: string, text: string): OutgoingMessage => ({
    topic: test.topic.event.topic,
    key,
    headers: { ce_id: text },
    value: Buffer.from(text),
  });
  const heartbeat = async (member: string, read: readonly Lease[] = [], position = 0): Promise<Lease[]> => {
    const { topic } = test.topic.event;
    const { rows } = await pool.query<Lease>('SELECT * FROM bus.heartbeat($1, $2, $3, 5000, $4, $5, $6, $7)', [
      test.group,
      member,
      [topic],
      read.map(() => topic),
      read.map(({ partition }) => partition),
      read.map(({ epoch }) => epoch),
      read.map(() => position),
    ]);
    return rows;
  };
  /** Sends the heartbeat of a member that wants to be woken at `wakes` for `wakeTopics`. */
  const beat = async (member: string, wakes: WakeSocket, wakeTopics: readonly string[]): Promise<void> => {
    await pool.query(`SELECT bus.beat($1, $2, $3, 5000, $4, $5, $6, '{}', '{}', '{}', '{}')`, [
      test.group,
      member,
      [test.topic.event.topic],
      wakes.host,
      await wakes.port(),
      wakeTopics,
    ]);
  };
  const release = (member: string, leases: readonly Lease[]): Promise<unknown> =>
    Promise.all(
      leases.map(({ partition, epoch }) =>
        pool.query('SELECT bus.release($1, $2, $3, $4, $5, 0)', [
          test.group,
          member,
          test.topic.event.topic,
          partition,
          epoch,
        ]),
      ),
    );
  const positions = async (): Promise<number[]> => {
    const rows = await test.database.query<{ position: string }>(
      'SELECT "position" FROM bus.group_cursor WHERE group_name = $1 ORDER BY "partition"',
      [test.group],
    );
    return rows.map(({ position }) => Number(position));
  };

  it('delivers every offset in order to a reader while four publishers append concurrently', async () => {
    const seen: IncomingMessage[] = [];
    const reader = open('reader');
    reader.consumer.start([test.topic.event.topic], (messages) => {
      seen.push(...messages);
      return Promise.resolve();
    });
    const publishers = [1, 2, 3, 4].map(() => open('writer').publisher);
    await Promise.all(
      publishers.map(async (publisher, index) => {
        for (let batch = 0; batch < 50; batch++)
          await publisher.publish(
            Array.from({ length: 10 }, (_, at) => message(`key-${(batch * 7 + at) % 40}`, `${index}/${batch}/${at}`)),
          );
      }),
    );
    await eventually(() => expect(seen).toHaveLength(2_000));
    for (let partition = 0; partition < 6; partition++) {
      const offsets = seen.filter((one) => one.partition === partition).map(({ offset }) => Number(offset));
      expect(offsets).toEqual(offsets.map((_, index) => index));
    }
    expect(new Set(seen.map(({ value }) => value?.toString())).size).toBe(2_000);
  });

  it('delivers events that together exceed the size limit of a read', async () => {
    const { publisher } = open('writer');
    for (let index = 0; index < 5; index++)
      await publisher.publish([message('a', `${index}${'x'.repeat(900_000)}`), message('a', `${index}`)]);
    const seen: (string | undefined)[] = [];
    const queries = jest.spyOn(Pool.prototype, 'query');
    open('reader').consumer.start([test.topic.event.topic], (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString().slice(0, 1)));
      return Promise.resolve();
    });
    await eventually(() => expect(seen).toHaveLength(10));
    const reads = await Promise.all(
      queries.mock.calls.flatMap(([query], call) =>
        (query as { name?: string }).name === 'bus-read'
          ? [
              (queries.mock.results[call]?.value as unknown as Promise<{ rows: unknown[] }>).then(
                ({ rows }) => rows.length,
              ),
            ]
          : [],
      ),
    );
    queries.mockRestore();
    expect(seen.join('')).toBe('0011223344');
    expect(reads.filter((count) => count > 0)).toEqual([3, 4, 3]);
  });

  it('rejects a topic that does not exist, and names it', async () => {
    const { publisher } = open('writer');
    await expect(publisher.publish([{ ...message('a', '1'), topic: 'never.made' }])).rejects.toThrow(
      'the bus has no such topic: never.made',
    );
  });

  it('divides six partitions evenly among four members, and takes no partition from a live member', async () => {
    const members = Array.from({ length: 4 }, () => randomUUID());
    const [first] = members as [string];
    expect(await heartbeat(first)).toHaveLength(6);
    for (const member of members.slice(1)) expect(await heartbeat(member)).toEqual([]);

    const surplus = (await heartbeat(first)).filter((lease) => lease.surplus);
    expect(surplus.length).toBeGreaterThanOrEqual(4);
    await release(first, surplus);
    const shares = await Promise.all(members.map(async (member) => (await heartbeat(member)).length));
    expect([...shares].sort()).toEqual([1, 1, 2, 2]);
  });

  it('reassigns the partitions of a silent member, and ignores the positions that this member reports afterwards', async () => {
    const [dead, alive] = [randomUUID(), randomUUID()];
    const held = await heartbeat(dead);
    await heartbeat(alive);
    await test.database.query(`UPDATE bus.group_member SET seen_at = now() - interval '6 s' WHERE member = $1`, [dead]);

    const taken = await heartbeat(alive);

    expect(taken).toHaveLength(6);
    expect(
      taken.every(({ partition, epoch }) => held.some((one) => one.partition === partition && one.epoch < epoch)),
    ).toBe(true);
    await heartbeat(dead, held, 99);
    expect(await positions()).toEqual([0, 0, 0, 0, 0, 0]);
    await heartbeat(alive, taken, 98);
    expect(await positions()).toEqual([98, 98, 98, 98, 98, 98]);
  });

  it('reads only the partitions with new events, once for each append', async () => {
    const seen: (string | undefined)[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString()));
    });
    const { publisher } = open('writer');
    await publisher.publish([message('a', 'first')]);
    await eventually(() => expect(seen).toEqual(['first']));
    const queries = jest.spyOn(Pool.prototype, 'query');
    for (let index = 0; index < 20; index++) {
      await publisher.publish([message('a', String(index))]);
      await eventually(() => expect(seen.at(-1)).toBe(String(index)), { everyMs: 2 });
    }
    const names = queries.mock.calls.map(([query]) => (query as { name?: string }).name);
    queries.mockRestore();
    expect(names.filter((name) => name === 'bus-read')).toHaveLength(20);
  });

  it('reads several partitions with new events in one statement', async () => {
    const seen: (string | undefined)[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString()));
    });
    const { publisher } = open('writer');
    await publisher.publish([message('a', 'first')]);
    await eventually(() => expect(seen).toEqual(['first']));
    const queries = jest.spyOn(Pool.prototype, 'query');
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    await publisher.publish(keys.map((key) => message(key, key)));
    await eventually(() => expect([...seen].sort()).toEqual(['first', ...keys].sort()));
    const names = queries.mock.calls.map(([query]) => (query as { name?: string }).name);
    queries.mockRestore();
    expect(names.filter((name) => name === 'bus-read')).toHaveLength(1);
  });

  it('wakes only the member that holds the partition, and no member when the topic has no consumer', async () => {
    const { topic } = test.topic.event;
    const wakes = new WakeSocket();
    const received: string[] = [];
    wakes.onMessage = (text) => received.push(text);
    await beat(randomUUID(), wakes, [topic]);
    const silent = new WakeSocket();
    silent.onMessage = (text) => received.push(`the other member: ${text}`);
    await beat(randomUUID(), silent, [topic]);
    await open('reader').publisher.publish([{ ...message('a', '2'), topic: deadLetterTopicOf(topic) }]);
    await open('writer').publisher.publish([message('a', '1')]);
    await eventually(() => expect(received).toEqual([expect.stringMatching(/\/\d\/1$/)]));
    await Promise.all([wakes.close(), silent.close()]);
  });

  it('does not wake a member for an unhurried topic', async () => {
    const { topic } = test.topic.event;
    const wakes = new WakeSocket();
    const received: string[] = [];
    wakes.onMessage = (text) => received.push(text);
    const member = randomUUID();
    await beat(member, wakes, []);
    const { publisher } = open('writer');
    await publisher.publish([message('a', '1')]);
    await beat(member, wakes, [topic]);
    await publisher.publish([message('a', '2')]);
    await eventually(() => expect(received).toEqual([expect.stringMatching(/\/2$/)]));
    await wakes.close();
  });

  it('delivers the events of an unhurried topic', async () => {
    const seen: (string | undefined)[] = [];
    const { topic } = test.topic.event;
    const sink: BatchSink = async (messages) => void seen.push(...messages.map(({ value }) => value?.toString()));
    open('reader').consumer.start([topic], sink, new Set([topic]));
    await open('writer').publisher.publish([message('a', 'first'), message('b', 'second')]);
    await eventually(() => expect([...seen].sort()).toEqual(['first', 'second']));
  });

  it('restarts a member from its stored position when Postgres crashed and lost an append that the member had already read', async () => {
    const { topic } = test.topic.event;
    const seen: (string | undefined)[] = [];
    open('reader').consumer.start([topic], async (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString()));
    });
    const { publisher } = open('writer');
    await publisher.publish([message('a', 'first')]);
    await eventually(async () => expect(Math.max(...(await positions()))).toBe(1));
    await publisher.publish([message('a', 'undone')]);
    await eventually(() => expect(seen).toEqual(['first', 'undone']));
    // Creates the state after a crash: the last commits are undone, and the unlogged table is empty.
    await test.database.query(`DELETE FROM bus.event_log WHERE value = 'undone'`);
    await test.database.query('UPDATE bus.topic_partition SET next_offset = 1 WHERE next_offset = 2');
    await test.database.query('UPDATE bus.group_cursor SET "position" = 1 WHERE "position" = 2');
    await test.database.query('TRUNCATE bus.group_member');
    await publisher.publish([message('a', 'another')]);
    await eventually(() => expect(seen).toEqual(['first', 'undone', 'another']));
  });

  it('restarts a member from the oldest event after the schema of the bus was created again', async () => {
    const seen: (string | undefined)[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString()));
    });
    const { publisher } = open('writer');
    await publisher.publish([message('a', 'lost')]);
    await eventually(async () => expect(Math.max(...(await positions()))).toBe(1));
    // Creates the state of a new schema, which has the topics, but no events, cursors or members.
    await test.database.query(`DELETE FROM bus.event_log; DELETE FROM bus.group_cursor; TRUNCATE bus.group_member;
      UPDATE bus.topic_partition SET next_offset = 0`);
    await publisher.publish([message('a', 'replayed')]);
    await eventually(() => expect(seen).toEqual(['lost', 'replayed']), { timeoutMs: 10_000 });
  });

  it('stores no position of a member that stops after a crash of Postgres before it has rejoined its group', async () => {
    const leases = await heartbeat(randomUUID());
    expect(leases).toHaveLength(6);
    const member = randomUUID();
    await test.database.query('UPDATE bus.group_cursor SET owner = $1', [member]);
    await test.database.query('TRUNCATE bus.group_member');
    await Promise.all(
      leases.map(({ partition, epoch }) =>
        pool.query('SELECT bus.release($1, $2, $3, $4, $5, 9)', [
          ...[test.group, member, test.topic.event.topic],
          ...[partition, epoch],
        ]),
      ),
    );
    expect(await positions()).toEqual([0, 0, 0, 0, 0, 0]);
    expect(
      await test.database.query('SELECT count(owner)::int AS owned FROM bus.group_cursor WHERE group_name = $1', [
        test.group,
      ]),
    ).toEqual([{ owned: 0 }]);
  });

  it('keeps the members in an unlogged table, which a crash of Postgres empties', async () => {
    expect(
      await test.database.query(`SELECT relpersistence AS kind FROM pg_class WHERE oid = 'bus.group_member'::regclass`),
    ).toEqual([{ kind: 'u' }]);
  });

  describe('when events are past the retention', () => {
    const append = async (publisher: EventBus['publisher'], ...texts: string[]): Promise<void> => {
      for (const text of texts) await publisher.publish([message('a', text)]);
      await test.database.query(`UPDATE bus.event_log SET appended_at = now() - interval '8 days'`);
    };
    const left = async (): Promise<string[]> => {
      const rows = await test.database.query<{ text: string }>(
        `SELECT convert_from(value, 'utf8') AS text FROM bus.event_log ORDER BY "offset"`,
      );
      return rows.map(({ text }) => text);
    };
    const prune = async (): Promise<void> => void (await pool.query('SELECT bus.prune()'));

    it('keeps events that a group has not read, whatever their age, until the cursors of the group are deleted', async () => {
      const { publisher } = open('writer');
      await append(publisher, 'read', 'unread', 'unread too');
      await heartbeat(randomUUID());
      await test.database.query('UPDATE bus.group_cursor SET "position" = 1 WHERE group_name = $1', [test.group]);
      await prune();
      expect(await left()).toEqual(['unread', 'unread too']);
      expect(
        await test.database.query(
          'SELECT events::int, oldest_at < now() AS old FROM bus.group_lag WHERE group_name = $1',
          [test.group],
        ),
      ).toEqual([{ events: expect.any(Number), old: true }]);
      await test.database.query('DELETE FROM bus.group_cursor WHERE group_name = $1', [test.group]);
      await prune();
      expect(await left()).toEqual([]);
    });

    it('removes old events when the only group that has not read them may no longer consume the topic', async () => {
      await append(open('writer').publisher, 'unread');
      await heartbeat(randomUUID());
      await prune();
      expect(await left()).toEqual(['unread']);
      await test.database.query('DELETE FROM bus.role_consumes WHERE group_name = $1', [test.group]);
      await prune();
      expect(await left()).toEqual([]);
    });

    it('does not count a member that has had no heartbeat for 61 minutes, and removes its row', async () => {
      await heartbeat(randomUUID());
      const members = () =>
        test.database.query('SELECT members FROM bus.group_lag WHERE group_name = $1', [test.group]);
      expect(await members()).toEqual([{ members: 1 }]);
      await test.database.query(`UPDATE bus.group_member SET seen_at = now() - interval '61 minutes'`);
      expect(await members()).toEqual([{ members: 0 }]);
      await prune();
      expect(await test.database.query('SELECT FROM bus.group_member WHERE group_name = $1', [test.group])).toEqual([]);
    });

    it('removes nothing while `isStopped` returns true', async () => {
      const bus = open('writer');
      await append(bus.publisher, 'old');
      await bus.prune?.(() => true);
      expect(await left()).toEqual(['old']);
      await bus.prune?.(() => false);
      expect(await left()).toEqual([]);
    });

    it('reports no gap when a crash of Postgres has undone appends that a heartbeat had reported', async () => {
      const gaps: Gap[] = [];
      const seen: (string | undefined)[] = [];
      const { publisher } = open('writer');
      await publisher.publish([message('a', 'first')]);
      const bus = createPostgresBus({ ...test.optionsOf('reader'), onGap: (gap) => gaps.push(gap) });
      buses.push(bus);
      bus.consumer.start([test.topic.event.topic], async (messages) => {
        seen.push(...messages.map(({ value }) => value?.toString()));
      });
      await eventually(() => expect(seen).toEqual(['first']));
      // The heartbeat reports an end of the log whose events do not exist: the reader finds no events, and waits for
      // the next heartbeat.
      const reads = jest.spyOn(Pool.prototype, 'query');
      const emptyReads = (): number =>
        reads.mock.calls.filter(([query]) => (query as unknown as { text?: string }).text?.includes('read_partitions'))
          .length;
      await test.database.query('UPDATE bus.topic_partition SET next_offset = 5 WHERE next_offset = 1');
      await eventually(() => expect(emptyReads()).toBeGreaterThan(0));
      reads.mockRestore();
      await test.database.query('UPDATE bus.topic_partition SET next_offset = 1 WHERE next_offset = 5');
      await publisher.publish([message('a', 'second')]);
      await eventually(() => expect(seen).toEqual(['first', 'second']));
      expect(gaps).toEqual([]);
    });

    it('removes old events of a topic that no group reads', async () => {
      await append(open('writer').publisher, 'old');
      await prune();
      expect(await left()).toEqual([]);
    });

    it('reports removed events that the group had not read, and continues after them', async () => {
      const gaps: Gap[] = [];
      const seen: (string | undefined)[] = [];
      const { publisher } = open('writer');
      await append(publisher, 'read', 'removed', 'removed too', 'next');
      await heartbeat(randomUUID());
      await test.database.query(`UPDATE bus.group_cursor SET "position" = 1 WHERE "partition" =
        (SELECT DISTINCT "partition" FROM bus.event_log)`);
      await test.database.query('DELETE FROM bus.event_log WHERE "offset" < 3');
      await test.database.query('TRUNCATE bus.group_member');
      const bus = createPostgresBus({ ...test.optionsOf('reader'), onGap: (gap) => gaps.push(gap) });
      buses.push(bus);
      bus.consumer.start([test.topic.event.topic], async (messages) => {
        seen.push(...messages.map(({ value }) => value?.toString()));
      });
      await eventually(() => expect(seen).toEqual(['next']));
      expect(gaps).toEqual([{ topic: test.topic.event.topic, partition: expect.any(Number), from: '1', to: '3' }]);
      await test.database.query('DELETE FROM bus.event_log');
      await test.database.query('UPDATE bus.topic_partition SET next_offset = 9 WHERE next_offset = 4');
      await eventually(() => expect(gaps[1]).toMatchObject({ from: '4', to: '9' }));
    });

    it('reports no gap to a new group, and starts with the oldest event', async () => {
      const gaps: Gap[] = [];
      const seen: (string | undefined)[] = [];
      await append(open('writer').publisher, 'removed', 'oldest');
      await test.database.query('DELETE FROM bus.event_log WHERE "offset" = 0');
      const bus = createPostgresBus({ ...test.optionsOf('reader'), onGap: (gap) => gaps.push(gap) });
      buses.push(bus);
      bus.consumer.start([test.topic.event.topic], async (messages) => {
        seen.push(...messages.map(({ value }) => value?.toString()));
      });
      await eventually(() => expect(seen).toEqual(['oldest']));
      expect(gaps).toEqual([]);
    });
  });

  it('misses no event after forged datagrams', async () => {
    const seen: (string | undefined)[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString()));
    });
    const { publisher } = open('writer');
    await publisher.publish([message('a', 'first')]);
    await eventually(() => expect(seen).toEqual(['first']));
    const [member] = await test.database.query<{ port: number }>(
      'SELECT wake_port AS port FROM bus.group_member WHERE group_name = $1',
      [test.group],
    );
    const forger = new WakeSocket();
    const forged = Array.from({ length: 6 }, (_, partition) =>
      ['9223372036854775807', '999999999999999999', '', '-1', 'x'].map(
        (end) => `${test.topic.event.topic}/${partition}/${end}`,
      ),
    );
    for (const text of [...forged.flat(), 'group', '', '\n/\n']) forger.send(member?.port ?? 0, text);
    await publisher.publish([message('a', 'second'), message('b', 'third')]);
    await eventually(() => expect([...seen].sort()).toEqual(['first', 'second', 'third']));
    await forger.close();
  });
});
