import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the time at which the refusals of a user are deleted, after the user deleted the profile. It is null while the user has a profile,
 * or has not created one yet.
 */
export class KeepRefusalsAfterDelete1768300000000 implements MigrationInterface {
  /** `concurrently` cannot run in a transaction. Each step can be repeated. */
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
