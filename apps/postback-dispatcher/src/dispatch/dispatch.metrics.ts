import { Counter, Gauge, Histogram } from 'prom-client';

export const attempts = new Counter({
  name: 'postback_attempts_total',
  help: 'Attempts by what came of them: delivered, or the stage at which they failed',
  labelNames: ['outcome'],
});

export const attemptSeconds = new Histogram({
  name: 'postback_attempt_seconds',
  help: 'Time from the start of an attempt to its end',
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
});

export const resultsStored = new Counter({
  name: 'postback_results_stored_total',
  help: 'Results of attempts that were stored',
});

export const resultsPending = new Gauge({
  name: 'postback_results_pending',
  help: 'Results of attempts that wait to be stored',
});

export const requestsInFlight = new Gauge({
  name: 'postback_requests_in_flight',
  help: 'Requests to endpoints that are under way',
});

export const endpointsOwned = new Gauge({
  name: 'postback_endpoints_owned',
  help: 'Endpoints that this process sends to',
});
