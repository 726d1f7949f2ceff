/** Lets a transaction of a test hold its locks for longer than Postgres allows a process that has stopped. */
export async function keepLocks(transaction: { query(sql: string): Promise<unknown> }): Promise<void> {
  await transaction.query('set local idle_in_transaction_session_timeout = 0');
}
