import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from '@tandem/testing';
import { createDatabaseOfAllApps } from './database-of-all-apps';

const ROOT = path.resolve(__dirname, '../../..');

/** The longest chain of events: each event that a group handles causes one event of the next step. */
const CHAIN = [
  { role: 'ingest', topic: 'payment.received', group: 'partner-gateway' },
  { role: 'partner', topic: 'sale.completed', group: 'postback-dispatcher' },
  { role: 'postback', topic: 'postback.delivered' },
] as const;
/** The number of events that are pending at any moment in each outbox, and for each group. */
const PENDING = 20;
const PACE_MS = 50;
const REPAIR_TIMEOUT_MS = 60_000;

jest.setTimeout(240_000);

describe('npm run repair on a Postgres bus', () => {
  let database: TestDatabase;
  let traffic: Promise<void> | undefined;
  let stopped = false;

  beforeAll(async () => {
    database = await createDatabaseOfAllApps();
    for (const one of CHAIN)
      if ('group' in one)
        await database.query('insert into bus.group_cursor (group_name, topic, "partition") values ($1, $2, 0)', [
          one.group,
          one.topic,
        ]);
  });
  afterAll(async () => {
    stopped = true;
    await traffic;
    await database?.drop();
  });

  const publish = ({ role, topic }: (typeof CHAIN)[number], count: number): Promise<unknown> =>
    database.query(
      `insert into ${role}.outbox (event_id, topic, key, payload, headers)
       select gen_random_uuid(), $1, 'key', '{}', '{}' from generate_series(1, $2::integer)`,
      [topic, count],
    );

  /**
   * Publishes a payment. Then advances each step of the chain, as relays and consumers do, until only the last
   * `PENDING` events of the step are pending.
   */
  async function moveOn(): Promise<void> {
    await publish(CHAIN[0], 1);
    for (const [index, one] of CHAIN.entries()) {
      await database.query(
        `with sent as (delete from ${one.role}.outbox where id <= (select max(id) - $2 from ${one.role}.outbox) returning id)
         update bus.topic_partition set next_offset = next_offset + (select count(*) from sent)
         where topic = $1 and "partition" = 0`,
        [one.topic, PENDING],
      );
      const next = CHAIN[index + 1];
      if (next === undefined || !('group' in one)) continue;
      const [moved] = await database.query<{ events: number }>(
        `update bus.group_cursor c set "position" = greatest(c."position", tp.next_offset - $3)
         from bus.topic_partition tp, bus.group_cursor before
         where (c.group_name, c.topic, c."partition") = ($1, $2, 0) and (tp.topic, tp."partition") = (c.topic, 0)
           and (before.group_name, before.topic, before."partition") = (c.group_name, c.topic, 0)
         returning (c."position" - before."position")::integer as events`,
        [one.group, one.topic, PENDING],
      );
      await publish(next, moved?.events ?? 0);
    }
  }
  const endOf = async (topic: string): Promise<number> => {
    const [row] = await database.query<{ end: number }>(
      'select next_offset::integer as end from bus.topic_partition where topic = $1 and "partition" = 0',
      [topic],
    );
    return row?.end ?? 0;
  };

  it('ends when all events from before its start, and the events that they cause, are handled, even if new ones never stop', async () => {
    for (let count = 0; count < 6 * PENDING; count++) await moveOn();
    traffic = (async () => {
      while (!stopped) {
        await moveOn();
        await sleep(PACE_MS);
      }
    })();
    const [row] = await database.query<{ payments: number }>('select max(id)::integer as payments from ingest.outbox');
    const args = ['--app', 'voucher-service', '--since', new Date().toISOString(), '--url', database.superuserUrl];
    const child = spawn(process.execPath, ['tools/backup/repair.mjs', ...args], {
      cwd: ROOT,
      timeout: REPAIR_TIMEOUT_MS,
    });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (out += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    const delivered = await endOf('postback.delivered');
    expect([code, out]).toEqual([0, expect.stringContaining('there are no dead letters')]);
    expect(delivered).toBeGreaterThanOrEqual(row?.payments as number);
  });
});
