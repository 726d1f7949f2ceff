import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the name of a portal link. Links that were created by an earlier release have no name. */
export class AddPortalLinkName1769400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table portal_link add column name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table portal_link drop column name');
  }
}
