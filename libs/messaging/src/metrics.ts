import { Counter, Gauge, Histogram } from 'prom-client';

export const OUTBOX_PENDING = new Gauge({
  name: 'events_outbox_pending',
  help: 'Events waiting for the relay, counted up to 100,000',
  labelNames: ['app'],
});
export const OUTBOX_OLDEST_SECONDS = new Gauge({
  name: 'events_outbox_oldest_seconds',
  help: 'Age of the oldest event in the outbox',
  labelNames: ['app'],
});
export const EVENTS_PUBLISHED = new Counter({
  name: 'events_published_total',
  help: 'Events acknowledged by the bus',
  labelNames: ['topic'],
});
export const EVENTS_CONSUMED = new Counter({
  name: 'events_consumed_total',
  help: 'Events delivered, by outcome',
  labelNames: ['topic', 'outcome'],
});
export const HANDLER_FAILURES = new Counter({
  name: 'events_handler_failures_total',
  help: 'Failed attempts of a handler',
  labelNames: ['topic', 'kind'],
});
export const HANDLER_SECONDS = new Histogram({
  name: 'events_handler_seconds',
  help: 'Duration of one attempt of a handler, including its transaction',
  labelNames: ['topic'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
});

export const DEAD_LETTERS = new Gauge({
  name: 'events_dead_letters',
  help: 'Dead letters not yet replayed, counted up to 100,000',
  labelNames: ['app', 'topic'],
});
export const CONSUMER_LAG = new Gauge({
  name: 'events_consumer_lag',
  help: "Events of a topic not yet handled by the app's consumer group",
  labelNames: ['app', 'topic'],
});
export const EVENTS_MISSED = new Counter({
  name: 'events_missed_total',
  help: 'Events removed from the Postgres bus before the consumer group had read them',
  labelNames: ['topic'],
});
export const PARTITION_STOPS = new Counter({
  name: 'events_partition_stops_total',
  help: 'Failed rounds of attempts to store a dead letter of a message that could not be handled; the partition is stopped meanwhile',
  labelNames: ['topic'],
});
export const DATABASE_LOCK_WAIT_SECONDS = new Gauge({
  name: 'database_lock_wait_seconds',
  help: 'Longest time for which a statement has been waiting for a lock; 0 when no statement waits',
  labelNames: ['app'],
});

/**
 * By app, a function that returns the time at which the app's consumer last heard from its bus, ms since 1970. The
 * function of an app that consumes nothing returns undefined.
 */
export const lastActivities = new Map<string, () => number | undefined>();

export const CONSUMER_SILENT_SECONDS = new Gauge({
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
});
