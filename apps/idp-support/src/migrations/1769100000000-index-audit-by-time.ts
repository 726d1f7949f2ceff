import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The indexes for lists with a time range, which are sorted by time: without another filter, by actor, and by action. */
const INDEXES = {
  audit_entry_time: 'started_at, seq',
  audit_entry_actor_time: 'actor, started_at, seq',
  audit_entry_action_time: 'action, started_at, seq',
};

export class IndexAuditByTime1769100000000 implements MigrationInterface {
  /** An index cannot be created `concurrently` in a transaction. If `up` fails, it can be run again: each step can be repeated. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(`create index concurrently ${name} on audit_entry (${columns})`);
    }
    // The index audit_entry_time replaces audit_entry_started_at, because both begin with the column started_at.
    await runner.query('drop index concurrently if exists audit_entry_started_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('create index audit_entry_started_at on audit_entry (started_at)');
    await runner.query(`drop index ${Object.keys(INDEXES).join(', ')}`);
  }
}
