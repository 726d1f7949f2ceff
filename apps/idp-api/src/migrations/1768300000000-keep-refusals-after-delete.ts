import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the refusals of a user who deleted the profile are forgotten; null while they belong to a profile, or to creates. */
export class KeepRefusalsAfterDelete1768300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table verification add column forget_at timestamptz');
    await runner.query('create index verification_forget_at on verification (forget_at) where forget_at is not null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table verification drop column forget_at');
  }
}
