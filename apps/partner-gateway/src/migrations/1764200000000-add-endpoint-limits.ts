import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the columns for a partner's endpoint limit and the revision of this limit. Both are copies from postback-dispatcher, for managers'
 * views and the audit trail.
 */
export class AddEndpointLimits1764200000000 implements MigrationInterface {
  static readonly contract = 'the check reads all rows of partner.partner, which has one for each partner';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `alter table partner add column endpoint_concurrency integer check (endpoint_concurrency between 1 and 1000),
         add column endpoint_limits_revision integer not null default 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table partner drop column endpoint_concurrency, drop column endpoint_limits_revision');
  }
}
