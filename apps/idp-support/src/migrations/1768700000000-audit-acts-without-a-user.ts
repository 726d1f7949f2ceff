import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Allows entries without a user, because a search or a read of the list of all actions does not concern a single user. Adds the indexes for
 * lists by action and by time.
 */
export class AuditActsWithoutAUser1768700000000 implements MigrationInterface {
  /** An index cannot be created `concurrently` in a transaction. If `up` fails, it can be run again: each step can be repeated. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table audit_entry alter column krn drop not null');
    await runner.query('drop index concurrently if exists audit_entry_action');
    await runner.query('create index concurrently audit_entry_action on audit_entry (action, seq)');
    await runner.query('drop index concurrently if exists audit_entry_started_at');
    await runner.query('create index concurrently audit_entry_started_at on audit_entry (started_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index audit_entry_started_at, audit_entry_action');
    await runner.query(`delete from audit_entry where krn is null`);
    await runner.query('alter table audit_entry alter column krn set not null');
  }
}
