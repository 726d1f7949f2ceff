import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the keyed hash of the code, by which payments identify a coupon. The database does not have the key, so the app adds the hashes of
 * existing coupons (CouponHashes). The app finds these coupons by the index coupon_without_hash, which is empty once all coupons have a hash.
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
