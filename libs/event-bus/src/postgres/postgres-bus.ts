import type { Pool } from 'pg';
import type { BusOptions } from '../bus.options';
import type { EventBus } from '../bus.port';
import { openPool } from './postgres-connection';
import { PostgresConsumer } from './postgres-consumer';
import { PostgresPublisher } from './postgres-publisher';

/** The bus in Postgres: publisher and consumer share one small pool. */
export function createPostgresBus(options: BusOptions): EventBus {
  const pool = openPool(options.busUrl, `${options.group}-bus`, 4);
  const publisher = new PostgresPublisher(pool);
  return {
    publisher: {
      publish: (messages) => publisher.publish(messages),
      close: () => (pool.ended ? Promise.resolve() : pool.end()),
    },
    consumer: new PostgresConsumer(options, pool),
    prune: () => pruneEventLog(pool),
  };
}

/** Removes events past the retention (`bus.retention`), in small transactions. */
async function pruneEventLog(pool: Pool): Promise<void> {
  for (let more = true; more;) {
    const { rows } = await pool.query<{ more: boolean }>('SELECT bus.prune() AS more');
    more = rows[0]?.more === true;
  }
}
