import type { Pool } from 'pg';
import { Gauge } from 'prom-client';
import { openPools } from './connection-pool';

/** Creates a gauge whose values are read from the pools' counters at each scrape, without a query. */
const gauge = (name: string, help: string, read: (pool: Pool) => Readonly<Record<string, number>>): Gauge =>
  new Gauge({
    name,
    help,
    labelNames: ['app', 'state'],
    collect() {
      this.reset();
      for (const [app, pool] of openPools) {
        if (pool.ended) openPools.delete(app);
        else for (const [state, value] of Object.entries(read(pool))) this.set(state ? { app, state } : { app }, value);
      }
    },
  });

gauge('database_pool_connections', 'Open connections of the pool', ({ totalCount, idleCount }) => ({
  busy: totalCount - idleCount,
  idle: idleCount,
}));
gauge('database_pool_connections_max', 'Maximum connections of the pool', ({ options }) => ({ '': options.max }));
gauge('database_pool_waiting', 'Requests waiting for a connection of the pool', ({ waitingCount }) => ({
  '': waitingCount,
}));
