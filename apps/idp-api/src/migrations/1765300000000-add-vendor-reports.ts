import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AddVendorReports1765300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // `wanted_at` is when the code was last requested. `vendor_said_at` is when the vendor last reported the code by a webhook. Older releases
    // of the app compare these times to decide whether the vendor ended an enrollment.
    await runner.query(`
      alter table enrollment
        add column wanted_at timestamptz not null default now(),
        add column vendor_said_at timestamptz`);
    // Used to drop the oldest marks of a user who has too many.
    await runner.query('alter table alert_read_state add column marked_at timestamptz not null default now()');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table alert_read_state drop column marked_at');
    await runner.query('alter table enrollment drop column vendor_said_at, drop column wanted_at');
  }
}
