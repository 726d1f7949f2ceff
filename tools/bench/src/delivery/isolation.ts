import type { Cleanup } from '../processes/child';
import { Figure, ms } from '../report';
import { Sink } from '../sink/sink';
import { median } from '../statistics';
import { BenchDatabase } from './database';
import { Dispatcher, Endpoint } from './dispatcher';
import { Latencies, latenciesOf, publishSteadily, rowToArrival } from './latency';

const ENDPOINTS = 100;
const RATE = 200;
const SECONDS = 40;
/** One of every `SHARE` sales goes to the endpoint that hangs in half of the runs. */
const SHARE = 5;
const ARRIVAL_MS = 60_000;

/**
 * (d) Sends a fifth of the traffic to one endpoint of 100, and compares the latency of the other 99 while that endpoint
 * is healthy and while it hangs.
 */
export async function measureIsolation(serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const sink = await Sink.start(cleanup, ENDPOINTS);
  const healthy: Latencies[] = [];
  const hung: Latencies[] = [];
  for (let round = 0; round < rounds; round++) {
    healthy.push(await runOnce(serverUrl, sink, false, cleanup));
    hung.push(await runOnce(serverUrl, sink, true, cleanup));
    const [before, after] = [healthy.at(-1)?.p99 ?? NaN, hung.at(-1)?.p99 ?? NaN];
    console.log(`  round ${round + 1}: p99 of the 99 with all healthy ${ms(before)}, with one hung ${ms(after)}`);
  }
  const ratio = median(hung.map(({ p99 }, index) => p99 / (healthy[index]?.p99 ?? NaN)));
  return [
    { name: '(d) p99 of the 99, all healthy', value: ms(median(healthy.map(({ p99 }) => p99))) },
    { name: '(d) p99 of the 99, one hangs', value: ms(median(hung.map(({ p99 }) => p99))) },
    { name: '(d) hung / healthy', value: ratio.toFixed(2), target: '<= 1.20', met: ratio <= 1.2 },
    { name: '(d) of the 99, delivered', value: 'all' },
  ];
}

async function runOnce(serverUrl: string, sink: Sink, hangs: boolean, cleanup: Cleanup): Promise<Latencies> {
  const database = await BenchDatabase.create(serverUrl, ['postback-dispatcher']);
  const dispatcher = await Dispatcher.start(cleanup, database);
  try {
    const endpoints = await dispatcher.createEndpoints(sink.ports);
    const [heavy, ...others] = endpoints as [Endpoint, ...Endpoint[]];
    const pick = (index: number): Endpoint =>
      index % SHARE === 0 ? heavy : (others[(index - Math.ceil(index / SHARE)) % others.length] as Endpoint);
    await publishSteadily(database, RATE, 2, pick);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await sink.take();
    await sink.hang(hangs ? heavy.port : null);
    const count = await publishSteadily(database, RATE, SECONDS, pick);
    const expected = count - Math.ceil(count / SHARE);
    await sink.waitFor(hangs ? expected : count, ARRIVAL_MS);
    const arrivals = await waitForOthers(database, sink, heavy, expected);
    return latenciesOf(arrivals);
  } finally {
    await sink.hang(null);
    await dispatcher.stop();
    await sink.take();
    await database.close();
  }
}

/**
 * Waits until all postbacks of the other endpoints have arrived. Does not use the sink's count, because that includes
 * the postbacks to the hung endpoint.
 */
async function waitForOthers(
  database: BenchDatabase,
  sink: Sink,
  heavy: Endpoint,
  expected: number,
): Promise<number[]> {
  const latencies: number[] = [];
  for (const deadline = Date.now() + ARRIVAL_MS; Date.now() < deadline;) {
    latencies.push(...(await rowToArrival(database, sink, [heavy])).values());
    if (latencies.length === expected) return latencies;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${latencies.length} of ${expected} postbacks of the healthy endpoints arrived`);
}
