import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the partner's own reference to each delivery, so that the log can be filtered by reference. The reference is the postback's
 * `sharedId`; null if the `sharedId` is empty.
 */
export class AddDeliveryReference1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table delivery add column ref_id text');
    await runner.query(`update delivery set ref_id = nullif(body::json ->> 'sharedId', '')`);
    await runner.query(
      `create index delivery_reference on delivery (partner_id, environment, ref_id, created_at, id) where ref_id is not null`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index delivery_reference');
    await runner.query('alter table delivery drop column ref_id');
  }
}
