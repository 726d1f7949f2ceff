import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds columns to the reconciliation queue. `claimed` increases with each claim of a user, so that only the holder of the last claim can
 * save. `asked`, if not null, means that all granted enrollments were requested, including those that the vendor has ended. `look_at` is
 * when the vendor's state is read once more, because the vendor reported or showed a change of the user's enrollments. `ended_codes` are the
 * codes that the vendor reported as ended.
 */
export class AddVendorLooks1768400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table reconciliation
        add column claimed bigint not null default 0,
        add column asked text,
        add column look_at timestamptz,
        add column ended_codes text[] not null default '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'alter table reconciliation drop column ended_codes, drop column look_at, drop column asked, drop column claimed',
    );
  }
}
