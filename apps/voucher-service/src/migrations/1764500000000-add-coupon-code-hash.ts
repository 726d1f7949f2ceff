import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Adds the keyed hash of the code. Payments identify a coupon by this hash. Only the app has the key, so the app fills the
 * column of existing rows (CouponHashes). The index coupon_without_hash finds these rows, and is empty once all of them are
 * filled.
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
