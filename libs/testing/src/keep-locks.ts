/**
 * Turns off the timeout of idle transactions, so that a test's transaction can hold its locks for as long as the test needs.
 */
export async function keepLocks(transaction: { query(sql: string): Promise<unknown> }): Promise<void> {
  await transaction.query('set local idle_in_transaction_session_timeout = 0');
}
