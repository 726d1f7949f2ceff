import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds the index that finds the session of a portal link. The deletion of a link uses this index, because it also deletes the session. */
export class IndexPortalSessions1767100300000 implements MigrationInterface {
  /** `create index concurrently` cannot run in a transaction. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists partner_token_portal_link');
    await runner.query(
      'create index concurrently partner_token_portal_link on partner_token (portal_link_id) where portal_link_id is not null',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index partner_token_portal_link');
  }
}
