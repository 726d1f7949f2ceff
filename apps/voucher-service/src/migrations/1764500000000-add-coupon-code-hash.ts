import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the keyed hash of the code, by which payments name a coupon. Only the app has the key, so the app fills the column of
 * existing rows (CouponHashes). The second index finds those rows, and is empty afterwards.
 */
export class AddCouponCodeHash1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table coupon add column code_hash bytea,
                         add constraint coupon_code_hash_key unique (code_hash),
                         add constraint coupon_code_hash_length check (octet_length(code_hash) = 32)`);
    await runner.query('create index coupon_without_hash on coupon (group_id, seq) where code_hash is null');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table coupon drop column code_hash');
  }
}
