import type { ResolvedEventsOptions } from '../../events.options';
import type { EventBus } from '../bus.port';
import { pruneEventLog } from './bus-retention';
import { openPool } from './postgres-connection';
import { PostgresConsumer } from './postgres-consumer';
import { PostgresPublisher } from './postgres-publisher';

const SESSION_TIMEOUT_MS = 5_000;

/** The bus in Postgres: publisher and consumer share one small pool. */
export function createPostgresBus(options: ResolvedEventsOptions): EventBus {
  const pool = openPool(options.busUrl, `${options.group}-bus`, 4);
  const publisher = new PostgresPublisher(pool);
  const consumer = new PostgresConsumer({
    url: options.busUrl,
    pool,
    group: options.group,
    sessionTimeoutMs: options.tuning.sessionTimeoutMs ?? SESSION_TIMEOUT_MS,
  });
  return {
    publisher: {
      publish: (messages) => publisher.publish(messages),
      close: () => (pool.ended ? Promise.resolve() : pool.end()),
    },
    consumer,
    prune: () => pruneEventLog(pool),
  };
}
