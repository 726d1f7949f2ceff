import type { Cleanup } from '../processes/child';
import { Figure, ms } from '../report';
import { Sink } from '../sink/sink';
import { median, quantile } from '../statistics';
import { BenchDatabase } from './database';
import { Dispatcher, Endpoint } from './dispatcher';
import { publishSale, saleOf } from './sales';

const ENDPOINTS = 20;
const RATES = [50, 200];
const SECONDS = 15;
const PARTITIONS = 6;
const ARRIVAL_MS = 60_000;

export interface Latencies {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export const latenciesOf = (values: readonly number[]): Latencies => ({
  p50: quantile(values, 0.5),
  p95: quantile(values, 0.95),
  p99: quantile(values, 0.99),
});

/**
 * (b) Measures the time from the insertion of a delivery's row to the arrival of its postback, at steady rates. The
 * sales come over the bus.
 */
export async function measureLatency(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const sink = await Sink.start(cleanup, ENDPOINTS);
  const database = await BenchDatabase.create(serverUrl, ['postback-dispatcher']);
  const dispatcher = await Dispatcher.start(cleanup, database);
  try {
    const endpoints = await dispatcher.createEndpoints(sink.ports);
    const pick = (index: number): Endpoint => endpoints[index % endpoints.length] as Endpoint;
    await publishSteadily(database, RATES[0] as number, 2, pick);
    const figures: Figure[] = [];
    for (const rate of RATES) {
      const measured: Latencies[] = [];
      for (let round = 0; round < rounds; round++) {
        await sink.take();
        const count = await publishSteadily(database, rate, SECONDS, pick);
        await sink.waitFor(count, ARRIVAL_MS);
        measured.push(latenciesOf([...(await rowToArrival(database, sink)).values()]));
        const { p50, p95, p99 } = measured.at(-1) as Latencies;
        console.log(`  ${rate}/s, round ${round + 1}: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}`);
      }
      figures.push(...figuresOf(rate, measured));
    }
    return figures;
  } finally {
    await dispatcher.stop();
    await database.close();
  }
}

function figuresOf(rate: number, measured: readonly Latencies[]): Figure[] {
  const p95 = median(measured.map((one) => one.p95));
  return [
    { name: `(b) row to arrival at ${rate}/s, p50`, value: ms(median(measured.map((one) => one.p50))) },
    { name: `(b) row to arrival at ${rate}/s, p95`, value: ms(p95), target: '<= 3 ms', met: p95 <= 3 },
    { name: `(b) row to arrival at ${rate}/s, p99`, value: ms(median(measured.map((one) => one.p99))) },
  ];
}

/**
 * Publishes sales at a rate that does not depend on how slow the receiver is.
 * @returns how many sales were published
 */
export async function publishSteadily(
  { pool }: BenchDatabase,
  rate: number,
  seconds: number,
  pick: (index: number) => Endpoint,
): Promise<number> {
  const count = rate * seconds;
  const started = performance.now();
  const publishing: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const wait = started + (index * 1000) / rate - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    publishing.push(publishSale(pool, saleOf(pick(index).partnerId), index % PARTITIONS));
  }
  await Promise.all(publishing);
  return count;
}

/**
 * Takes the arrivals from the sink. Returns the latency of each delivery by its id: the milliseconds from the insertion of its row (`created_at`) to
 * the arrival of its postback. The row is inserted just before its commit, so the latency includes the wait of the commit for the disk.
 */
export async function rowToArrival(
  { client }: BenchDatabase,
  sink: Sink,
  except: readonly Endpoint[] = [],
): Promise<Map<string, number>> {
  const { at } = await sink.take();
  const { rows } = await client.query<{ id: string; created: number }>(
    `select id, extract(epoch from created_at)::float8 * 1000 as created from postback.delivery
     where id = any ($1::uuid[]) and partner_id <> all ($2::text[])`,
    [[...at.keys()], except.map(({ partnerId }) => partnerId)],
  );
  return new Map(rows.map(({ id, created }) => [id, (at.get(id) as number) - created]));
}
