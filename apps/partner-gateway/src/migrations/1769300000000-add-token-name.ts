import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the name of a token. The tokens of portal sessions and the tokens that an earlier release issues have no name. */
export class AddTokenName1769300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table partner_token add column name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table partner_token drop column name');
  }
}
