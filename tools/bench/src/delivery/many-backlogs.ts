import type { Cleanup } from '../processes/child';
import { type Figure, ms } from '../report';
import { Sink } from '../sink/sink';
import { median } from '../statistics';
import { during, p99Of } from './backlog';
import { BenchDatabase } from './database';
import { Dispatcher, type Endpoint } from './dispatcher';

const ENDPOINTS = 5_000;
const PENDING_EACH = 1_000;
const OTHERS = 100;
/** The endpoints with a backlog answer after this delay, because real partners' endpoints also need some time. */
const ANSWER_MS = 20;
/**
 * The duration of the measurement. The backlogs are far larger than the number of deliveries that are sent in this
 * time.
 */
const BUSY_MS = 30_000;
const CALM_SLICES = 4;
/** How many configurations are saved at the same time. */
const SAVED_TOGETHER = 20;
const CHUNK = 250;
/**
 * The time from the first row until all deliveries are due. In this time the rows are written, and the latency at rest
 * is measured.
 */
const DUE_AFTER_MS = 480_000;
const MAX_BYTES = 400_000_000;

/**
 * (f) Measures the memory of postback-dispatcher and the latency of 100 other endpoints while 5,000 endpoints have
 * 1,000 due deliveries each.
 */
export async function measureManyBacklogs(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  // The endpoints with a backlog share one port, because postback-dispatcher is measured, not the sink.
  const sink = await Sink.start(cleanup, OTHERS + 1);
  const measured: { calm: number; busy: number; bytes: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const one = await runOnce(serverUrl, sink, cleanup);
    measured.push(one);
    console.log(
      `  round ${round + 1}: p99 of the others at rest ${ms(one.calm)}, during the backlogs ${ms(one.busy)}, memory ${megabytes(one.bytes)}`,
    );
  }
  const ratio = median(measured.map(({ busy, calm }) => busy / calm));
  const bytes = median(measured.map((one) => one.bytes));
  return [
    { name: '(f) memory during the backlogs', value: megabytes(bytes), target: '<= 400 MB', met: bytes <= MAX_BYTES },
    { name: '(f) p99 of the others, calm', value: ms(median(measured.map(({ calm }) => calm))) },
    { name: '(f) p99 of the others, during the backlogs', value: ms(median(measured.map(({ busy }) => busy))) },
    { name: '(f) during the backlogs / at rest', value: ratio.toFixed(2), target: '<= 1.50', met: ratio <= 1.5 },
  ];
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

async function runOnce(
  serverUrl: string,
  sink: Sink,
  cleanup: Cleanup,
): Promise<{ calm: number; busy: number; bytes: number }> {
  const database = await BenchDatabase.create(serverUrl, ['postback-dispatcher']);
  const dispatcher = await Dispatcher.start(cleanup, database);
  try {
    const [shared, ...ports] = sink.ports as [number, ...number[]];
    await sink.slowDown(shared, ANSWER_MS);
    const others = await dispatcher.createEndpoints(ports);
    const withBacklog = await createMany(dispatcher, shared);
    const dueAt = Date.now() + DUE_AFTER_MS;
    await seed(database, withBacklog, new Date(dueAt));
    const pick = (index: number): Endpoint => others[index % others.length] as Endpoint;
    const load = { database, sink, pick, except: withBacklog };
    await p99Of(load, (slice) => slice < 1);
    const calm = await p99Of(load, (slice) => slice < CALM_SLICES);
    if (Date.now() > dueAt)
      throw new Error('the rows were written too slowly: they were due before the latency at rest was measured');
    await new Promise((resolve) => setTimeout(resolve, dueAt - Date.now()));
    const memory = watchMemory(dispatcher);
    const busy = await p99Of(load, during(new Promise((resolve) => setTimeout(resolve, BUSY_MS))));
    return { calm, busy, bytes: await memory.stop() };
  } finally {
    await dispatcher.stop();
    await sink.take();
    await database.close();
  }
}

async function createMany(dispatcher: Dispatcher, port: number): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  while (endpoints.length < ENDPOINTS) {
    const some = Array.from({ length: SAVED_TOGETHER }, () => dispatcher.createEndpoints([port]));
    endpoints.push(...(await Promise.all(some)).flat());
  }
  return endpoints;
}

/** Inserts 1,000 deliveries for each endpoint, in chunks of 250 for each endpoint. */
async function seed({ client }: BenchDatabase, endpoints: readonly Endpoint[], dueAt: Date): Promise<void> {
  for (let from = 1; from <= PENDING_EACH; from += CHUNK) {
    await client.query(
      `insert into postback.delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')
           || '7' || substr(md5(e.id::text || i), 1, 3) || '8' || substr(md5(e.id::text || i), 4, 15))::uuid,
         e.partner_id, 'live', e.id, 'sub_' || i, 'bench', json_build_object('oid', 'sub_' || i, 'sharedId', repeat('x', 200))::text,
         'pending', $4
       from generate_series($1::int, $2::int) i, postback.endpoint e where e.partner_id = any ($3::text[])`,
      [from, from + CHUNK - 1, endpoints.map(({ partnerId }) => partnerId), dueAt],
    );
    console.log(`  ${(from + CHUNK - 1) * endpoints.length} deliveries pending`);
  }
  await client.query('vacuum analyze postback.delivery');
  await client.query('checkpoint');
}

/** Reads the memory use of the process twice a second. `stop` returns the highest value, in bytes. */
function watchMemory(dispatcher: Dispatcher): { stop(): Promise<number> } {
  let most = 0;
  let pending = Promise.resolve();
  const look = async (): Promise<void> => {
    most = Math.max(most, await dispatcher.memoryBytes());
  };
  const timer = setInterval(() => {
    pending = pending.then(look);
  }, 500);
  return {
    async stop() {
      clearInterval(timer);
      await pending;
      return most;
    },
  };
}
