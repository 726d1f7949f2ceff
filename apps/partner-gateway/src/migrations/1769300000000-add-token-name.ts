import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the name of a token. Tokens of portal sessions, and tokens that were issued by an earlier release, have no name. */
export class AddTokenName1769300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table partner_token add column name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table partner_token drop column name');
  }
}
