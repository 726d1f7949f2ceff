import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the index for listing the actions that concern a partner. */
export class IndexAuditOfPartners1767200120000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists audit_entry_partner');
    await runner.query(
      `create index concurrently audit_entry_partner
           on audit_entry (coalesce(after ->> 'partnerId', before ->> 'partnerId', entity_id), seq)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index audit_entry_partner');
  }
}
