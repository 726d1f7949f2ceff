import { Pool, type PoolClient } from 'pg';

export const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 2 });
// A connection that breaks emits an error, whether it is idle in the pool or used by a transaction. Without a listener,
// the error would end the process. In a transaction, the next statement fails; later transactions use another
// connection.
pool.on('error', () => undefined);
pool.on('connect', (client) => client.on('error', () => undefined));

/** Creates missing tables. A lock lets only one process at a time do this. */
export async function prepareDatabase(): Promise<void> {
  await pool.query(`
    select pg_advisory_xact_lock(hashtext('sales-report'));
    create table if not exists handled_event (
      id text primary key, handled_at timestamptz not null default now());
    create table if not exists refused_event (
      id text primary key, reason text not null, value bytea not null);
    create table if not exists sale (
      oid text primary key, partner_id text, currency text, cents bigint, ended_by text);
    create or replace view partner_sales as
      select partner_id, currency, count(*)::integer as sales, sum(cents) as cents
        from sale where partner_id is not null and ended_by is null group by partner_id, currency;`);
}

/**
 * Runs `effect` in the transaction that stores the event's id, so that both are stored or neither is. An event whose id is already stored
 * is skipped. If two processes handle the same event, the second one waits for the end of the first one's transaction.
 */
export async function once(id: string, effect: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query('insert into handled_event (id) values ($1) on conflict do nothing', [id]);
    if (rowCount === 1) await effect(client);
    await client.query('commit');
    client.release();
  } catch (error) {
    client.release(true); // closes the connection, which rolls back
    throw error;
  }
}
