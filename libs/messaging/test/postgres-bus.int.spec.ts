import { randomUUID } from 'node:crypto';
import { eventually } from '@tandem/testing';
import { Pool } from 'pg';
import { resolveOptions } from '../src/events.options';
import type { EventBus } from '../src/bus/bus.port';
import { createPostgresBus } from '../src/bus/postgres/postgres-bus';
import type { IncomingMessage, OutgoingMessage } from '../src/wire/message';
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
    pool = new Pool({ connectionString: test.database.urlFor('bus'), max: 4 });
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

  const open = (app: string): EventBus => {
    const bus = createPostgresBus(resolveOptions({ app, ...test.address, group: `${test.group}-${app}` }));
    buses.push(bus);
    return bus;
  };
  const message = (key: string, text: string): OutgoingMessage => ({
    topic: test.topic.event.topic,
    key,
    headers: { ce_id: text },
    value: Buffer.from(text),
  });
  const heartbeat = async (member: string, sessionMs = 5_000): Promise<Lease[]> =>
    (
      await pool.query<Lease>('SELECT * FROM bus.heartbeat($1, $2, $3, $4)', [
        test.group,
        member,
        [test.topic.event.topic],
        sessionMs,
      ])
    ).rows;
  const release = (member: string, leases: readonly Lease[]): Promise<unknown> =>
    pool.query(
      `UPDATE bus.group_cursor SET owner = NULL WHERE group_name = $1 AND owner = $2 AND "partition" = ANY ($3)`,
      [test.group, member, leases.map(({ partition }) => partition)],
    );

  it('gives a reader every offset, in order and without a gap, while four publishers append at once', async () => {
    const seen: IncomingMessage[] = [];
    const reader = open('reader');
    reader.consumer.start([test.topic.event.topic], (messages) => {
      seen.push(...messages);
      return Promise.resolve();
    });
    const publishers = ['a', 'b', 'c', 'd'].map((app) => open(app).publisher);
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

  it('hands over events that are larger than what is read at a time', async () => {
    const { publisher } = open('a');
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
    const { publisher } = open('a');
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
    await pool.query(`UPDATE bus.group_member SET seen_at = now() - interval '6 s' WHERE member = $1`, [dead]);

    const taken = await heartbeat(alive);

    expect(taken).toHaveLength(6);
    expect(
      taken.every(({ partition, epoch }) => held.some((one) => one.partition === partition && one.epoch < epoch)),
    ).toBe(true);
    const { rowCount } = await pool.query(
      `UPDATE bus.group_cursor SET "position" = 99 WHERE group_name = $1 AND owner = $2 AND epoch = $3`,
      [test.group, dead, held[0]?.epoch],
    );
    expect(rowCount).toBe(0);
  });
});
