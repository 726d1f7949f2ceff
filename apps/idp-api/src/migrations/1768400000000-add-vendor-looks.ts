import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the queue stores in addition to the time of a run. `claimed`: grows with each claim of a user, so that only the last one saves.
 * `asked`: everything that is granted was requested, including what the vendor has ended. `look_at`: the vendor reported something about
 * the user's enrollments; its state is read once more then. `ended_codes`: the codes that it reported as ended.
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
