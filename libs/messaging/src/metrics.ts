import { Counter, Gauge, Histogram, register } from 'prom-client';

// One process can hold several apps (tests do): a metric that is registered already is used again.
const once = <T>(name: string, make: () => T): T => (register.getSingleMetric(name) as T | undefined) ?? make();

const counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
  once(name, () => new Counter({ name, help, labelNames }));
const gauge = <L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> =>
  once(name, () => new Gauge({ name, help, labelNames }));

export const OUTBOX_PENDING = gauge('events_outbox_pending', 'Events that wait for the relay, up to 100,000', ['app']);
export const OUTBOX_OLDEST_SECONDS = gauge('events_outbox_oldest_seconds', 'Age of the oldest event in the outbox', [
  'app',
]);
/** When the consumer of an app last heard from its bus, ms since 1970. */
const lastActivities = new Map<string, () => number | undefined>();

export const CONSUMER_SILENT_SECONDS = once(
  'events_consumer_silent_seconds',
  () =>
    new Gauge({
      name: 'events_consumer_silent_seconds',
      help: 'Time since the consumer last heard from its bus',
      labelNames: ['app'],
      collect() {
        this.reset();
        for (const [app, lastActivity] of lastActivities) {
          const at = lastActivity();
          if (at !== undefined) this.set({ app }, (Date.now() - at) / 1000);
        }
      },
    }),
);

/** Shows the silence of an app's consumer; one that consumes nothing has none. @returns how to end that */
export function showConsumerSilence(app: string, lastActivity: () => number | undefined): () => void {
  lastActivities.set(app, lastActivity);
  return () => {
    if (lastActivities.get(app) === lastActivity) lastActivities.delete(app);
  };
}

export const EVENTS_PUBLISHED = counter('events_published_total', 'Events that the bus has taken', ['topic']);
export const EVENTS_CONSUMED = counter('events_consumed_total', 'Events that were delivered, by what became of them', [
  'topic',
  'outcome',
]);
export const HANDLER_FAILURES = counter('events_handler_failures_total', 'Tries of a handler that failed', [
  'topic',
  'kind',
]);
export const HANDLER_SECONDS = once(
  'events_handler_seconds',
  () =>
    new Histogram({
      name: 'events_handler_seconds',
      help: 'Time of one try of a handler, its transaction included',
      labelNames: ['topic'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    }),
);
