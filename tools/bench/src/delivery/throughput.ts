import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { Child, Cleanup } from '../processes/child';
import type { Figure } from '../report';
import { Sink } from '../sink/sink';
import { median } from '../statistics';
import { BenchDatabase } from './database';
import { Dispatcher, Endpoint } from './dispatcher';
import { bodyOf, saleOf } from './sales';

const DELIVERIES = 20_000;
const ENDPOINTS = 20;
/**
 * The number of deliveries that the bare loop and postback-dispatcher each send before the measurement, so that they
 * have compiled their code and opened their connections when the measurement begins.
 */
const WARM_UP = 2_000;
const WARM_UP_MS = 8_000;
/**
 * The time from the start of the seed until the measured deliveries become due. The seed and the warm-up must have
 * ended by then.
 */
const SEED_MS = 18_000;
const SEED_BATCH = 5_000;
const TIMEOUT_MS = 300_000;
const MAX_CPU_MS = 0.14;
/**
 * The number of bare loops that run in parallel for comparison. They show the rate of the machine when the waits for
 * the disk overlap.
 */
const OVERLAPPING = 4;

interface Run {
  readonly seconds: number;
  readonly cpuMs: number;
}

/**
 * (a) Sends 20,000 deliveries to 20 endpoints: first with a bare loop, then with postback-dispatcher, and then with
 * four bare loops. All of them use the same Postgres and the same sink.
 */
export async function measureThroughput(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const sink = await Sink.start(cleanup, ENDPOINTS);
  const ceiling: Run[] = [];
  const overlapping: Run[] = [];
  const dispatcher: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    ceiling.push(await runCeiling(serverUrl, sink, 1));
    dispatcher.push(await runDispatcher(serverUrl, sink, cleanup));
    overlapping.push(await runCeiling(serverUrl, sink, OVERLAPPING));
    const [one, four, own] = [ceiling, overlapping, dispatcher].map((runs) => rate(runs.at(-1)));
    console.log(`  round ${round + 1}: bare loop ${one}/s, ${OVERLAPPING} of them ${four}/s, dispatcher ${own}/s`);
  }
  const ratioTo = (runs: readonly Run[]): number =>
    median(runs.map((run, index) => run.seconds / (dispatcher[index]?.seconds ?? NaN)));
  const ratio = ratioTo(ceiling);
  const cpu = cpuOf(dispatcher);
  return [
    { name: '(a) bare loop', value: `${Math.round(median(ceiling.map(rate)))}/s` },
    { name: `(a) ${OVERLAPPING} bare loops that overlap`, value: `${Math.round(median(overlapping.map(rate)))}/s` },
    { name: '(a) dispatcher', value: `${Math.round(median(dispatcher.map(rate)))}/s` },
    { name: '(a) dispatcher / bare loop', value: ratio.toFixed(2), target: '>= 0.65', met: ratio >= 0.65 },
    { name: `(a) dispatcher / ${OVERLAPPING} bare loops`, value: ratioTo(overlapping).toFixed(2) },
    { name: '(a) CPU a delivery, bare loop', value: `${cpuOf(ceiling).toFixed(3)} ms` },
    {
      name: '(a) CPU a delivery, dispatcher',
      value: `${cpu.toFixed(3)} ms`,
      target: `<= ${MAX_CPU_MS} ms`,
      met: cpu <= MAX_CPU_MS,
    },
  ];
}

const rate = (run: Run | undefined): number => Math.round(DELIVERIES / (run?.seconds ?? NaN));
const cpuOf = (runs: readonly Run[]): number => median(runs.map(({ cpuMs }) => cpuMs)) / DELIVERIES;

async function runCeiling(serverUrl: string, sink: Sink, loops: number): Promise<Run> {
  const database = await BenchDatabase.create(serverUrl, []);
  const { child } = await Child.start({
    name: 'ceiling',
    file: path.join(__dirname, '../ceiling/ceiling-main.js'),
    env: { DATABASE_URL: database.superuserUrl },
  });
  try {
    await database.client.query(CEILING_TABLES);
    await seedCeiling(database, sink, WARM_UP);
    await child.ask<Run>({ loops });
    await assertAllArrived(sink, WARM_UP);
    await seedCeiling(database, sink, DELIVERIES);
    const run = await child.ask<Run>({ loops });
    await assertAllArrived(sink, DELIVERIES);
    return run;
  } finally {
    await child.stop();
    await database.close();
  }
}

async function seedCeiling(database: BenchDatabase, { ports }: Sink, count: number): Promise<void> {
  for (let from = 0; from < count; from += SEED_BATCH) {
    const rows = Array.from({ length: Math.min(SEED_BATCH, count - from) }, () => bodyOf(saleOf('partner')));
    await database.client.query(
      `insert into ceiling.delivery (id, url, body, next_attempt_at)
       select i, u, b, clock_timestamp() from unnest($1::uuid[], $2::text[], $3::text[]) as r (i, u, b)`,
      [
        rows.map(timeOrderedId),
        rows.map((_, index) => `http://127.0.0.1:${ports[index % ports.length]}/postback`),
        rows,
      ],
    );
  }
  await tidyUp(database, 'ceiling');
}

/**
 * Runs postback-dispatcher. All deliveries are in the table before the measurement; the measured ones become due
 * together, shortly after the warm-up.
 */
async function runDispatcher(serverUrl: string, sink: Sink, cleanup: Cleanup): Promise<Run> {
  const database = await BenchDatabase.create(serverUrl, ['postback-dispatcher']);
  const dispatcher = await Dispatcher.start(cleanup, database);
  try {
    const endpoints = await dispatcher.createEndpoints(sink.ports);
    const dueAt = new Date(Date.now() + SEED_MS);
    await seedDeliveries(database, endpoints, WARM_UP, new Date());
    await seedDeliveries(database, endpoints, DELIVERIES, dueAt);
    await tidyUp(database, 'postback');
    await until(dueAt.getTime() - WARM_UP_MS);
    await sink.waitFor(WARM_UP, TIMEOUT_MS);
    await until(dueAt.getTime() - 200);
    await assertAllArrived(sink, WARM_UP);
    const cpuBefore = await dispatcher.cpuMs();
    if (Date.now() >= dueAt.getTime())
      throw new Error('the machine is too busy: the seed and the warm-up took too long');
    await sink.waitFor(DELIVERIES, TIMEOUT_MS);
    const last = await lastDelivered(database, dueAt, DELIVERIES);
    const cpuMs = (await dispatcher.cpuMs()) - cpuBefore;
    await assertAllArrived(sink, DELIVERIES);
    return { seconds: (last - dueAt.getTime()) / 1000, cpuMs };
  } finally {
    await dispatcher.stop();
    await database.close();
  }
}

const until = (time: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));

async function seedDeliveries(
  { client }: BenchDatabase,
  endpoints: readonly Endpoint[],
  count: number,
  dueAt: Date,
): Promise<void> {
  for (let from = 0; from < count; from += SEED_BATCH) {
    const sales = Array.from({ length: Math.min(SEED_BATCH, count - from) }, (_, index) =>
      saleOf(endpoints[index % endpoints.length]?.partnerId ?? ''),
    );
    await client.query(
      `insert into postback.delivery
         (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       select i, e.partner_id, 'live', e.id, o, 'bench', b, 'pending', $5
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) as r (i, p, o, b)
       join postback.endpoint e on e.partner_id = r.p`,
      [
        sales.map(timeOrderedId),
        sales.map(({ partnerId }) => partnerId),
        sales.map(({ oid }) => oid),
        sales.map(bodyOf),
        dueAt,
      ],
    );
  }
}

/**
 * Waits until every delivery is marked as delivered.
 * @returns when the last delivery was marked, Unix ms
 */
async function lastDelivered({ client }: BenchDatabase, since: Date, count: number): Promise<number> {
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline;) {
    const { rows } = await client.query<{ delivered: number; last: Date }>(
      `select count(*)::int as delivered, max(delivered_at) as last from postback.delivery
       where status = 'delivered' and delivered_at >= $1`,
      [since],
    );
    if (rows[0]?.delivered === count) return rows[0].last.getTime();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('not every delivery was marked as delivered');
}

/** Runs the vacuum and the checkpoint that the seed would otherwise cause during the measurement. */
async function tidyUp({ client }: BenchDatabase, schema: string): Promise<void> {
  await client.query(`vacuum analyze ${schema}.delivery`);
  await client.query('checkpoint');
}

async function assertAllArrived(sink: Sink, count: number): Promise<void> {
  const { at, repeated } = await sink.take();
  if (at.size !== count || repeated > 0)
    throw new Error(`${at.size} of ${count} postbacks arrived, ${repeated} more than once`);
}

/** Generates a UUIDv7, like the ids of deliveries. */
function timeOrderedId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  const random = randomBytes(10).toString('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(1, 4)}-8${random.slice(5, 8)}-${random.slice(8)}`;
}

/** The tables of the bare loop, with the index that its query for due rows uses. */
const CEILING_TABLES = `
  create schema ceiling;
  create table ceiling.delivery (
    id uuid primary key, created_at timestamptz not null default clock_timestamp(), url text not null, body text not null,
    status text not null default 'pending', claimed boolean not null default false, attempt_count smallint not null default 0,
    next_attempt_at timestamptz not null, delivered_at timestamptz);
  create index on ceiling.delivery (next_attempt_at) where status = 'pending' and not claimed;
  create table ceiling.attempt (
    delivery_id uuid not null, number smallint not null, at timestamptz not null, status smallint, latency_ms integer not null,
    error text, response text, primary key (delivery_id, number))`;
