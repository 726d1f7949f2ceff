import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the refusals of a user who deleted the profile are deleted; null while they belong to a profile, or to creates. */
export class KeepRefusalsAfterDelete1768300000000 implements MigrationInterface {
  /** `concurrently` cannot run in a transaction; each step may be repeated. */
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
