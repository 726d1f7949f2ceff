import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import type { Client } from 'pg';
import { withClient } from '../outcome';

/** An event that the bus has stored. */
export interface StoredEvent {
  readonly topic: string;
  readonly key: string;
  readonly id: string;
  /** The version of the entity (`ce_sequence`); null for topics without versions. */
  readonly sequence: number | null;
}

/** The part of the stores' content that the verdict needs, at the end of a run. */
export interface Stored {
  /** The status of each sale, by `oid`. */
  readonly sales: ReadonlyMap<string, string>;
  /** The number of coupons of each batch. */
  readonly coupons: ReadonlyMap<string, number>;
  readonly idempotencyKeys: ReadonlySet<string>;
  /**
   * The number of support's audit entries for each user, by KRN. An entry whose outcome is still `started` counts too: idp-support may have been
   * killed, or may have failed to store the outcome.
   */
  readonly supportActs: ReadonlyMap<string, number>;
  /** How much unfinished work of each kind is left, by description. Each number must be 0 after the run has settled. */
  readonly leftovers: ReadonlyMap<string, number>;
  /** The events of all TOPICS. The events of one partition are in the order in which the partition has them. */
  readonly events: readonly StoredEvent[];
}

const TOPICS = [
  'sale.completed',
  'sale.revoked',
  'sale.closed',
  'postback.delivered',
  'coupon.created',
  'enrollment.changed',
];

/** Queries for unfinished work, open transactions and locks. Each returns a number that must be 0 at the end. */
const LEFTOVERS: Readonly<Record<string, string>> = {
  'deliveries that are pending': `select count(*) from postback.delivery where status = 'pending'`,
  'users that wait for the vendor': 'select count(*) from idp.reconciliation',
  'prepared transactions': 'select count(*) from pg_prepared_xacts',
  'transactions that are idle for 10 s': `select count(*) from pg_stat_activity where state like 'idle in transaction%'
    and state_change < clock_timestamp() - interval '10 s'`,
  'locks that wait': 'select count(*) from pg_locks where not granted',
};

/** Reads, from Postgres and the bus, what the verdict needs. @param brokers the brokers' addresses, if the bus is Kafka */
export function readStored(postgresUrl: string, brokers?: string): Promise<Stored> {
  return withClient(postgresUrl, async (client) => ({
    sales: new Map(await pairs<string>(client, 'select oid as key, status as value from partner.sale')),
    coupons: new Map(
      await pairs<number>(
        client,
        'select batch_id::text as key, count(*)::int as value from voucher.coupon group by 1',
      ),
    ),
    idempotencyKeys: new Set(
      (await pairs<string>(client, 'select key, batch_id as value from voucher.idempotency_key')).map(([key]) => key),
    ),
    supportActs: new Map(
      await pairs<number>(
        client,
        `select krn as key, count(*)::int as value from support.audit_entry where krn is not null group by 1`,
      ),
    ),
    leftovers: await leftoversIn(client),
    events: brokers === undefined ? await eventsOfLog(client) : await eventsOfKafka(brokers),
  }));
}

/**
 * Counts the work that must not be left once everything is handled: the results of `LEFTOVERS`, outbox rows and dead
 * letters.
 */
export async function leftoversIn(client: Client): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const [name, query] of Object.entries(LEFTOVERS)) counts.set(name, await countOf(client, query));
  for (const table of ['outbox', 'dead_letter']) {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where tablename = $1`,
      [table],
    );
    for (const { name } of rows) counts.set(`rows of ${name}`, await countOf(client, `select count(*) from ${name}`));
  }
  return counts;
}

const countOf = async (client: Client, query: string): Promise<number> =>
  Number((await client.query<{ count: string }>(query)).rows[0]?.count);

async function pairs<Value>(client: Client, query: string): Promise<[string, Value][]> {
  const { rows } = await client.query<{ key: string; value: Value }>(query);
  return rows.map(({ key, value }) => [key, value]);
}

async function eventsOfLog(client: Client): Promise<StoredEvent[]> {
  const { rows } = await client.query<StoredEvent>(
    `select topic, key, headers->>'ce_id' as id, (headers->>'ce_sequence')::int as sequence from bus.event_log
      where topic = any ($1) order by topic, partition, "offset"`,
    [TOPICS],
  );
  return rows;
}

async function eventsOfKafka(brokers: string): Promise<StoredEvent[]> {
  const kafka = new Kafka({ brokers: brokers.split(','), clientId: 'chaos', logLevel: logLevel.NOTHING });
  const [admin, consumer] = [kafka.admin(), kafka.consumer({ groupId: `chaos-${process.pid}-${Date.now()}` })];
  await Promise.all([admin.connect(), consumer.connect()]);
  try {
    const events: StoredEvent[] = [];
    const present = new Set(await admin.listTopics());
    const topics = TOPICS.filter((topic) => present.has(topic));
    const ends = await Promise.all(
      topics.map(async (topic) => {
        const offsets = await again(() => admin.fetchTopicOffsets(topic));
        return offsets.map(({ partition, low, high }) => [`${topic} ${partition}`, Number(low), Number(high)] as const);
      }),
    );
    const unread = new Map<string, number>(
      ends.flat().flatMap(([name, low, high]) => (high > low ? [[name, high] as const] : [])),
    );
    await consumer.subscribe({ topics, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      if (unread.size === 0) return resolve();
      const eachMessage = async ({ topic, partition, message }: Parameters<EachMessage>[0]): Promise<void> => {
        const name = `${topic} ${partition}`;
        const headers = message.headers ?? {};
        const sequence = headers['ce_sequence'];
        events.push({
          topic,
          key: String(message.key),
          id: String(headers['ce_id']),
          sequence: sequence === undefined ? null : Number(sequence),
        });
        if (Number(message.offset) + 1 >= (unread.get(name) ?? Infinity)) unread.delete(name);
        if (unread.size === 0) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    return events;
  } finally {
    await Promise.all([admin.disconnect(), consumer.disconnect()]);
  }
}

/** Repeats a failing request up to 20 times, once a second, because kafkajs fails when a partition has a new leader. */
async function again<Result>(request: () => Promise<Result>): Promise<Result> {
  for (let left = 20; ; left--) {
    try {
      return await request();
    } catch (error) {
      if (left === 0) throw error;
      await sleep(1_000);
    }
  }
}

type EachMessage = NonNullable<NonNullable<Parameters<ReturnType<Kafka['consumer']>['run']>[0]>['eachMessage']>;
