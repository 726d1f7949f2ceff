import { Counter, Gauge, Histogram } from 'prom-client';
import { ATTEMPT_STAGES, AttemptStage } from '../attempt/attempt.types';

/** How the endpoint stood when its answer came: `failing` after a pause that no good answer has ended yet. */
export type EndpointClass = 'healthy' | 'failing';

const attempts = new Counter({
  name: 'postback_attempts_total',
  help: 'Attempts by what came of them: delivered, or the stage at which they failed',
  labelNames: ['outcome', 'endpoint'],
});

const attemptSeconds = new Histogram({
  name: 'postback_attempt_seconds',
  help: 'Time from the start of an attempt to its end',
  labelNames: ['endpoint'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
});

/** Looked up once: this is counted for each attempt. */
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
  help: 'Results of attempts that were stored',
});

export const shardsOwned = new Gauge({
  name: 'postback_shards_owned',
  help: 'Shards of endpoints that this process sends for',
});

export const endpointsInMemory = new Gauge({
  name: 'postback_endpoints_in_memory',
  help: 'Endpoints that this process is sending to, or was a minute ago',
});

export const resultsPending = new Gauge({
  name: 'postback_results_pending',
  help: 'Results of attempts that wait to be stored',
});

export const requestsInFlight = new Gauge({
  name: 'postback_requests_in_flight',
  help: 'Requests to endpoints that are under way',
});

export const bytesInMemory = new Gauge({
  name: 'postback_memory_bytes',
  help: 'Bytes of the deliveries that are in memory, with those that reads under way may bring',
});
