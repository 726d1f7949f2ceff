import type { Pool } from 'pg';
import type { BusOptions } from '../bus-options';
import type { EventBus } from '../bus-port';
import { openPool } from './postgres-connection';
import { PostgresConsumer } from './postgres-consumer';
import { PostgresPublisher } from './postgres-publisher';
import { WakeSocket } from './wake-socket';

/** Creates an app's publisher and consumer on the Postgres bus, which share one small pool. */
export function createPostgresBus(options: BusOptions): EventBus {
  const pool = openPool(options.busUrl, `${options.group}-bus`, 4);
  const wakes = new WakeSocket();
  const publisher = new PostgresPublisher(pool, wakes);
  return {
    publisher: {
      publish: (messages) => publisher.publish(messages),
      close: async () => {
        await wakes.close();
        if (!pool.ended) await pool.end();
      },
    },
    ...(isSameDatabase(options.busUrl, options.databaseUrl) && {
      rowPublisher: { function: 'bus.publish', host: wakes.host, wake: (rows) => publisher.wake(rows) },
    }),
    consumer: new PostgresConsumer(options, pool, wakes),
    prune: (isStopped) => pruneEventLog(pool, isStopped),
  };
}

/** Whether both addresses name the same database of the same server. Two names of one server count as two servers. */
function isSameDatabase(busUrl: string, databaseUrl: string | undefined): boolean {
  if (databaseUrl === undefined) return false;
  const [bus, own] = [new URL(busUrl), new URL(databaseUrl)];
  return bus.host === own.host && bus.pathname === own.pathname;
}

/**
 * Removes events past the retention (`bus.retention`) that every consumer group of their topic has read, in small
 * transactions.
 */
async function pruneEventLog(pool: Pool, isStopped: () => boolean): Promise<void> {
  for (let more = true; more && !isStopped();) {
    const { rows } = await pool.query<{ more: boolean }>('SELECT bus.prune() AS more');
    more = rows[0]?.more === true;
  }
}
