import type { FastifyReply, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, register } from 'prom-client';

/** Returns the histogram of the process. Only the first call creates it, because tests start several apps in one process. */
const durations = (): Histogram<'method' | 'route' | 'status'> =>
  (register.getSingleMetric('http_request_duration_seconds') as Histogram<'method' | 'route' | 'status'> | undefined) ??
  new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
  });

/** Records an answered request under its route's pattern, never its path: paths contain ids. */
export function observeRequest(request: FastifyRequest, reply: FastifyReply): void {
  durations().observe(
    { method: request.method, route: request.routeOptions.url ?? 'unmatched', status: reply.statusCode },
    reply.elapsedTime / 1000,
  );
}

/**
 * The interval at which the delay of the event loop is measured, ms. The measured delays include this interval. The interval is longer than
 * prom-client's default of 10 ms, because each measurement wakes an idle process.
 */
const EVENT_LOOP_PRECISION_MS = 100;

/** Starts the metrics of the process (memory, event loop, handles). Further calls have no effect. */
export function startProcessMetrics(): void {
  if (!register.getSingleMetric('process_cpu_seconds_total')) {
    collectDefaultMetrics({ eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  }
}
