import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table of the audit trail, with indexes for lists by user and by actor, newest first. An entry is finished once, and never
 * changed afterwards.
 */
export class CreateAuditEntry1766000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table audit_entry (
        seq bigint generated always as identity primary key,
        actor text not null,
        action text not null,
        krn text not null,
        reason text check (length(reason) <= 500),
        request_id text not null,
        details jsonb not null,
        outcome text not null default 'started' check (outcome in ('started', 'succeeded', 'refused', 'failed')),
        error text,
        started_at timestamptz not null default now(),
        finished_at timestamptz,
        check ((outcome = 'started') = (finished_at is null))
      )`);
    await runner.query('create index audit_entry_krn on audit_entry (krn, seq)');
    await runner.query('create index audit_entry_actor on audit_entry (actor, seq)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table audit_entry');
  }
}
