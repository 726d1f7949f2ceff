import { randomUUID } from 'node:crypto';
import { deadLetterTopicOf } from '@tandem/contracts';
import { eventually } from '@tandem/testing';
import { Client, Pool } from 'pg';
import { createPostgresBus, type EventBus, type IncomingMessage, type OutgoingMessage } from '../src';
import { BusTest } from './fixture/bus';

jest.setTimeout(30_000);

interface Lease {
  readonly partition: number;
  readonly epoch: string;
  readonly surplus: boolean;
}

describe('the log and the groups of the Postgres bus', () => {
  let test: BusTest;
  let pool: Pool;
  const buses: EventBus[] = [];
  beforeEach(async () => {
    test = await BusTest.begin('postgres');
    pool = new Pool({ connectionString: test.database.urlFor('reader'), max: 4 });
    // The database is dropped while they are ending.
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

  it('gives a reader every offset, in order and without a gap, while four publishers append at once', async () => {
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

  it('hands over events that are larger than the bound of a read', async () => {
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

  it('refuses a topic that was never made, and names it', async () => {
    const { publisher } = open('writer');
    await expect(publisher.publish([{ ...message('a', '1'), topic: 'never.made' }])).rejects.toThrow(
      'the bus has no such topic: never.made',
    );
  });

  it('divides six partitions among four members evenly, and takes none from a live one', async () => {
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

  it('gives the partitions of a silent member to the others, and takes no commit of the silent one', async () => {
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

  it('reads only the partitions that were appended to, once for each append', async () => {
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

  it('reads partitions that were appended to together by one statement', async () => {
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

  it('notifies only listeners of its topic about an append, and no one when the topic has no consumer', async () => {
    const { publisher } = open('writer');
    const listener = new Client({ connectionString: test.database.urlFor('reader') });
    await listener.connect();
    const told: string[] = [];
    listener.on('notification', ({ channel, payload }) => told.push(`${channel} ${payload}`));
    const { topic } = test.topic.event;
    await listener.query(`LISTEN "bus.${topic}"; LISTEN "bus.${deadLetterTopicOf(topic)}"`);
    await publisher.publish([message('a', '1')]);
    await open('reader').publisher.publish([{ ...message('a', '2'), topic: deadLetterTopicOf(topic) }]);
    await listener.query('SELECT 1');
    await listener.end();
    expect(told).toEqual([expect.stringMatching(/^bus\.\S+ \d\/1$/)]);
  });

  it('skips offsets whose events were removed, and hands over the next one', async () => {
    const { publisher } = open('writer');
    await publisher.publish([message('a', 'old')]);
    await test.database.query('DELETE FROM bus.event_log');
    const seen: (string | undefined)[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString()));
    });
    await eventually(async () => expect(Math.max(...(await positions()))).toBe(1));
    await publisher.publish([message('a', 'new')]);
    await eventually(() => expect(seen).toEqual(['new']));
  });

  it('misses no event when a notification is forged', async () => {
    const seen: (string | undefined)[] = [];
    open('reader').consumer.start([test.topic.event.topic], async (messages) => {
      seen.push(...messages.map(({ value }) => value?.toString()));
    });
    const { publisher } = open('writer');
    await publisher.publish([message('a', 'first')]);
    await eventually(() => expect(seen).toEqual(['first']));
    for (let partition = 0; partition < 6; partition++)
      for (const end of ['9223372036854775807', '', '-1', 'x'])
        await pool.query(`SELECT pg_notify($1, $2)`, [`bus.${test.topic.event.topic}`, `${partition}/${end}`]);
    await publisher.publish([message('a', 'second'), message('b', 'third')]);
    await eventually(() => expect([...seen].sort()).toEqual(['first', 'second', 'third']));
  });
});
