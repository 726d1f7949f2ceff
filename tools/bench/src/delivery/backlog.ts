import type { Cleanup } from '../processes/child';
import { Figure, ms } from '../report';
import { Sink } from '../sink/sink';
import { median } from '../statistics';
import { BenchDatabase } from './database';
import { Dispatcher, Endpoint } from './dispatcher';
import { latenciesOf, publishSteadily, rowToArrival } from './latency';

const ENDPOINTS = 100;
const RATE = 200;
/**
 * The length of a slice, s. The sales for the endpoints whose latency is measured are published at a steady rate, slice
 * by slice.
 */
const SLICE_SECONDS = 5;
const CALM_SLICES = 4;
/**
 * The endpoint to which deliveries are replayed answers after this delay, because a real partner's endpoint also needs
 * some time.
 */
const ANSWER_MS = 20;
const REPLAYED = 100_000;
const DISABLED_PENDING = 500_000;
const ARRIVAL_MS = 60_000;
const LIMIT_MS = 300_000;

/**
 * (e) Measures the latency of 98 endpoints three times: at rest, while 100,000 deliveries to another endpoint are
 * replayed, and while a further endpoint with 500,000 pending deliveries is disabled.
 */
export async function measureBacklogs(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const sink = await Sink.start(cleanup, ENDPOINTS);
  const measured: { calm: number; replay: number; disable: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(await runOnce(serverUrl, sink, cleanup));
    const { calm, replay, disable } = measured.at(-1) ?? { calm: NaN, replay: NaN, disable: NaN };
    console.log(
      `  round ${round + 1}: p99 of the 98 at rest ${ms(calm)}, during a replay ${ms(replay)}, while the endpoint is disabled ${ms(disable)}`,
    );
  }
  const ratioOf = (name: 'replay' | 'disable'): Figure => {
    const ratio = median(measured.map((one) => one[name] / one.calm));
    return { name: `(e) ${name} / calm`, value: ratio.toFixed(2), target: '<= 1.30', met: ratio <= 1.3 };
  };
  return [
    { name: '(e) p99 of the 98 other endpoints, calm', value: ms(median(measured.map(({ calm }) => calm))) },
    { name: '(e) … while one replays 100,000', value: ms(median(measured.map(({ replay }) => replay))) },
    { name: '(e) … while one with 500,000 is disabled', value: ms(median(measured.map(({ disable }) => disable))) },
    ratioOf('replay'),
    ratioOf('disable'),
  ];
}

async function runOnce(
  serverUrl: string,
  sink: Sink,
  cleanup: Cleanup,
): Promise<Record<'calm' | 'replay' | 'disable', number>> {
  const database = await BenchDatabase.create(serverUrl, ['postback-dispatcher']);
  const dispatcher = await Dispatcher.start(cleanup, database);
  try {
    const [heavy, gone, ...others] = (await dispatcher.createEndpoints(sink.ports)) as [
      Endpoint,
      Endpoint,
      ...Endpoint[],
    ];
    await sink.slowDown(heavy.port, ANSWER_MS);
    await seed(database, heavy, 'failed', REPLAYED);
    await seed(database, gone, 'pending', DISABLED_PENDING);
    await database.client.query('vacuum analyze postback.delivery');
    await database.client.query('checkpoint');
    const pick = (index: number): Endpoint => others[index % others.length] as Endpoint;
    const measure = (busy: (slice: number) => boolean) => p99Of({ database, sink, pick, except: [heavy] }, busy);
    await measure((slice) => slice < 1);
    const calm = await measure((slice) => slice < CALM_SLICES);
    const replay = await measure(during(replayAll(dispatcher, database, heavy)));
    const disable = await measure(during(disableAll(database, gone)));
    return { calm, replay, disable };
  } finally {
    await dispatcher.stop();
    await sink.take();
    await database.close();
  }
}

interface Load {
  readonly database: BenchDatabase;
  readonly sink: Sink;
  readonly pick: (index: number) => Endpoint;
  /** The endpoints whose latency is not measured. */
  readonly except: readonly Endpoint[];
}

/**
 * Publishes sales to the picked endpoints at a steady rate, slice by slice, as long as `busy` returns true.
 * @returns the 99th percentile of the latency of these sales, ms
 * @throws when not all of their postbacks arrive within a minute after the last slice
 */
export async function p99Of({ database, sink, pick, except }: Load, busy: (slice: number) => boolean): Promise<number> {
  await sink.take();
  let published = 0;
  for (let slice = 0; busy(slice); slice++) published += await publishSteadily(database, RATE, SLICE_SECONDS, pick);
  const latencies: number[] = [];
  for (const deadline = Date.now() + ARRIVAL_MS; latencies.length < published && Date.now() < deadline;) {
    latencies.push(...(await rowToArrival(database, sink, except)).values());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (latencies.length !== published)
    throw new Error(`${latencies.length} of ${published} postbacks to the other endpoints arrived`);
  return latenciesOf(latencies).p99;
}

/** Returns a function that returns true until the work has ended, and that throws if the work has failed. */
export function during(work: Promise<void>): () => boolean {
  let over = false;
  let failure: Error | undefined;
  work.then(
    () => (over = true),
    (error: Error) => {
      failure = error;
    },
  );
  return () => {
    if (failure !== undefined) throw failure;
    return !over;
  };
}

/**
 * Replays the failed deliveries, and then waits for 10 s while they are sent. The latency of the other endpoints is
 * thus measured during the replay and during the sending.
 */
async function replayAll(dispatcher: Dispatcher, database: BenchDatabase, heavy: Endpoint): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const started = performance.now();
  const count = await dispatcher.replay(heavy);
  console.log(`  ${count} deliveries replayed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (count !== REPLAYED) throw new Error(`${count} of ${REPLAYED} deliveries were replayed`);
  const before = await countOf(database, heavy, 'delivered');
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  console.log(`  … and sent at ${Math.round(((await countOf(database, heavy, 'delivered')) - before) / 10)}/s`);
}

/** Disables the endpoint as a 410 does, and waits until all of its pending deliveries are held. */
async function disableAll(database: BenchDatabase, { partnerId }: Endpoint): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const started = performance.now();
  await database.pool.query(
    `update postback.endpoint set status = 'disabled', disabled_reason = 'endpoint_gone' where partner_id = $1`,
    [partnerId],
  );
  for (const deadline = Date.now() + LIMIT_MS; Date.now() < deadline;) {
    const { rows } = await database.pool.query(LAST_PENDING, [partnerId]);
    if (rows.length === 0) {
      console.log(`  ${DISABLED_PENDING} deliveries held in ${((performance.now() - started) / 1000).toFixed(1)} s`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('not every delivery of the disabled endpoint was held');
}

async function countOf({ pool }: BenchDatabase, { partnerId }: Endpoint, status: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from postback.delivery where partner_id = $1 and environment = 'live' and status = $2`,
    [partnerId, status],
  );
  return rows[0]?.count ?? 0;
}

async function seed({ client }: BenchDatabase, { partnerId }: Endpoint, status: string, count: number): Promise<void> {
  await client.query(
    `insert into postback.delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
     select ${TIME_ORDERED_ID}, e.partner_id, 'live', e.id, 'sub_' || i, 'bench', json_build_object('oid', 'sub_' || i)::text, $2,
       case when $2 = 'pending' then now() + interval '1 hour' end
     from generate_series(1, $3) i, postback.endpoint e where e.partner_id = $1`,
    [partnerId, status, count],
  );
}

/**
 * Generates a UUIDv7, like the ids of deliveries: rows that were created together are neighbors in the table and its
 * indexes.
 */
const TIME_ORDERED_ID = `
  (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3)
    || '8' || substr(md5(i::text), 4, 15))::uuid`;

/**
 * Finds a pending delivery of a partner's endpoint. The query runs often, so it must be fast: it begins with the
 * deliveries that are due last. They are pending for longest, because postback-dispatcher holds them last.
 */
const LAST_PENDING = `
  select from postback.delivery
  where status = 'pending' and endpoint_id = (select id from postback.endpoint where partner_id = $1)
  order by next_attempt_at desc, id desc limit 1`;
