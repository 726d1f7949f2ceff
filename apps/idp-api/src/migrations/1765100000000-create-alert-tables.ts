import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAlertTables1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Marking all alerts as read or unread writes one row here. Alerts up to `all_read_at` are read; if it is null, no alert is read.
    await runner.query(`
      create table alert_read_mark (
        krn text primary key references profile (krn) on delete cascade,
        all_read_at timestamptz
      )`);
    // Exceptions to `alert_read_mark`: alerts that were marked individually. Marking all alerts deletes these rows.
    await runner.query(`
      create table alert_read_state (
        krn text not null references profile (krn) on delete cascade,
        alert_id bigint not null,
        is_read boolean not null,
        primary key (krn, alert_id)
      )`);
    // Alerts that the vendor reported by a webhook. A later migration adds the column `listed`, for alerts that the vendor also lists.
    await runner.query(`
      create table pushed_alert (
        krn text not null references profile (krn) on delete cascade,
        alert_id bigint not null,
        bureau text not null,
        class text not null,
        create_date timestamptz not null,
        updated_date timestamptz not null,
        primary key (krn, alert_id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table pushed_alert, alert_read_state, alert_read_mark`);
  }
}
