import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The indexes for lists that omit the actions that only read. Most entries are such actions, so without these indexes, a page of such a list
 * could require a scan of the whole table.
 */
const INDEXES = {
  audit_entry_change: 'seq',
  audit_entry_change_actor: 'actor, seq',
  audit_entry_change_time: 'started_at, seq',
  audit_entry_change_actor_time: 'actor, started_at, seq',
};

export class IndexChangesBySupport1769500000000 implements MigrationInterface {
  /** An index cannot be created `concurrently` in a transaction. If `up` fails, it can be run again: each step can be repeated. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES)) {
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(
        `create index concurrently ${name} on audit_entry (${columns})
          where action not in ('user.search', 'user.read', 'audit.read')`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop index ${Object.keys(INDEXES).join(', ')}`);
  }
}
