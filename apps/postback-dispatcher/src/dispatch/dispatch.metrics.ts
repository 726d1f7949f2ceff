import { Counter, Gauge, Histogram } from 'prom-client';
import { ATTEMPT_STAGES, AttemptStage } from '../attempt/attempt-types';

/**
 * An endpoint's state just before the result of an attempt changes it. An endpoint is `failing` from a pause until its next success, or
 * until a save or an enabling of its configuration ends the pause.
 */
export type EndpointClass = 'healthy' | 'failing';

const attempts = new Counter({
  name: 'postback_attempts_total',
  help: 'Attempts by outcome: delivered, or the stage at which they failed',
  labelNames: ['outcome', 'endpoint'],
});

const attemptSeconds = new Histogram({
  name: 'postback_attempt_seconds',
  help: 'Duration of an attempt',
  labelNames: ['endpoint'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
});

/** Returns the meters for an endpoint class. Called only once per class, because every attempt uses the meters. */
const meters = (endpoint: EndpointClass) => ({
  seconds: attemptSeconds.labels(endpoint),
  attemptsBy: new Map(
    [null, ...ATTEMPT_STAGES].map((stage) => [stage, attempts.labels(stage ?? 'delivered', endpoint)]),
  ),
});
const metersOf = { healthy: meters('healthy'), failing: meters('failing') };

/** @param stage null for a success */
export function countAttempt(endpoint: EndpointClass, stage: AttemptStage | null, latencyMs: number): void {
  const { attemptsBy, seconds } = metersOf[endpoint];
  attemptsBy.get(stage)?.inc();
  seconds.observe(latencyMs / 1000);
}

export const resultsStored = new Counter({
  name: 'postback_results_stored_total',
  help: 'Stored results of attempts',
});

let shardsOwned = (): number => 0;

/** Sets the function that counts this process's shards at each scrape. */
export function measureShardsOwned(count: () => number): void {
  shardsOwned = count;
}

new Gauge({
  name: 'postback_shards_owned',
  help: 'Shards of endpoints owned by this process',
  collect() {
    this.set(shardsOwned());
  },
});

export const endpointsInMemory = new Gauge({
  name: 'postback_endpoints_in_memory',
  help: 'Endpoints that have a worker in this process',
});

export const resultsPending = new Gauge({
  name: 'postback_results_pending',
  help: 'Results of attempts waiting to be stored',
});

export const requestsInFlight = new Gauge({
  name: 'postback_requests_in_flight',
  help: 'Requests to endpoints in flight',
});

export const bytesInMemory = new Gauge({
  name: 'postback_memory_bytes',
  help: 'Bytes of the deliveries in memory, including those reserved by reads in progress',
});
