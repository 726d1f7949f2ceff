import { Pool, type PoolConfig } from 'pg';
import { Gauge } from 'prom-client';

/** The pools of this process by their `application_name`; tests start several apps in one process. */
const pools = new Map<string, ObservedPool>();

/** Exports a pool on /metrics under its `application_name`, until it has ended. */
export class ObservedPool extends Pool {
  constructor(config: PoolConfig & { application_name: string }) {
    super(config);
    pools.set(config.application_name, this);
  }
}

/** Returns a gauge read from the pools at each scrape, without a query. */
const gauge = (name: string, help: string, read: (pool: Pool) => Readonly<Record<string, number>>): Gauge =>
  new Gauge({
    name,
    help,
    labelNames: ['app', 'state'],
    collect() {
      this.reset();
      for (const [app, pool] of pools) {
        if (pool.ended) pools.delete(app);
        else for (const [state, value] of Object.entries(read(pool))) this.set(state ? { app, state } : { app }, value);
      }
    },
  });

gauge('database_pool_connections', 'Open connections of the process to its database', ({ totalCount, idleCount }) => ({
  busy: totalCount - idleCount,
  idle: idleCount,
}));
gauge('database_pool_connections_max', 'Maximum connections of the process', ({ options }) => ({ '': options.max }));
gauge('database_pool_waiting', 'Requests waiting for a connection of the pool', ({ waitingCount }) => ({
  '': waitingCount,
}));
