import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds two indexes for listing actions: one by entity, and one by actor. */
export class IndexAudit1767100120000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists audit_entry_entity');
    await runner.query('drop index concurrently if exists audit_entry_actor');
    await runner.query('create index concurrently audit_entry_entity on audit_entry (entity_id, seq)');
    await runner.query('create index concurrently audit_entry_actor on audit_entry (actor, seq)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index audit_entry_entity, audit_entry_actor');
  }
}
