import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateMockFlag1765100060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table mock_flag (
        krn text primary key references profile (krn) on delete cascade,
        alerts boolean not null default false,
        scans boolean not null default false
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table mock_flag`);
  }
}
