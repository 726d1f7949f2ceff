import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the name of a token. The tokens of portal sessions, and those that an earlier release issues, have none. */
export class AddTokenName1769300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table partner_token add column name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table partner_token drop column name');
  }
}
