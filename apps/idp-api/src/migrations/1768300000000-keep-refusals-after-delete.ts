import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time at which a row of `verification` is deleted. The time is set when a locked user deletes the profile, or when support unlocks
 * a user without a profile; otherwise it is null.
 */
export class KeepRefusalsAfterDelete1768300000000 implements MigrationInterface {
  /** An index cannot be created `concurrently` in a transaction. If the migration fails, it can be run again: each step can be repeated. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table verification add column if not exists forget_at timestamptz');
    await runner.query('drop index concurrently if exists verification_forget_at');
    await runner.query(
      'create index concurrently verification_forget_at on verification (forget_at) where forget_at is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table verification drop column forget_at');
  }
}
