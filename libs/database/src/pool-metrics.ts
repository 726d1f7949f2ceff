import { Gauge } from 'prom-client';

/** The part of pg's Pool that is shown. */
export interface PoolState {
  readonly totalCount: number;
  readonly idleCount: number;
  /** Requests that wait for a connection. */
  readonly waitingCount: number;
  readonly ended: boolean;
  readonly options: { readonly max: number };
}

/** The pools of this process; tests start several apps in one. */
const pools = new Map<string, PoolState>();

/** A gauge that is read from the pools at each scrape, without a query. */
const gauge = (name: string, help: string, read: (pool: PoolState) => Readonly<Record<string, number>>): Gauge =>
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

gauge(
  'database_pool_connections',
  'Connections that the process holds to its database',
  ({ totalCount, idleCount }) => ({ busy: totalCount - idleCount, idle: idleCount }),
);
gauge('database_pool_connections_max', 'Connections that the process may hold', ({ options }) => ({ '': options.max }));
gauge('database_pool_waiting', 'Requests that wait for a connection of the pool', ({ waitingCount }) => ({
  '': waitingCount,
}));

/** Shows a pool on /metrics until it has ended. @param app whose pool it is */
export const showPool = (app: string, pool: PoolState): void => void pools.set(app, pool);
