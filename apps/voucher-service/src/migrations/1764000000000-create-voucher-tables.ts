import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables for voucher groups, batches of coupons, coupons, and idempotency keys. */
export class CreateVoucherTables1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table idempotency_key, coupon, batch, voucher_group');
  }
}

/**
 * Every batch changes the counter `issued`, and every redemption the counter `redeemed`. Each of these changes locks the group's row until the
 * transaction ends. The batches and the events of a group are therefore created one after the other, and no batch can exceed the stock.
 */
const VOUCHER_GROUP = `
  create table voucher_group (
    id uuid primary key,
    seq bigint generated always as identity,
    partner_id text not null,
    environment text not null check (environment in ('live', 'test')),
    name text not null,
    status text not null check (status in ('active', 'inactive')),
    product_name text not null,
    product_tier text not null,
    product_period_months integer not null check (product_period_months > 0),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    stock integer check (stock >= 0),
    issued integer not null default 0,
    redeemed integer not null default 0 check (redeemed between 0 and issued),
    valid_from timestamptz not null,
    valid_until timestamptz check (valid_until > valid_from),
    created_at timestamptz not null default date_trunc('milliseconds', now()),
    constraint voucher_group_stock check (stock is null or issued <= stock)
  ) with (fillfactor = 50)`;

const GROUPS_OF_PARTNER = 'create index voucher_group_partner on voucher_group (partner_id, seq)';

/**
 * A batch contains the coupons that one request created. These are all coupons of the group from first_seq to last_seq, because the batches
 * of a group are created one after the other.
 */
const BATCH = `
  create table batch (
    id uuid primary key,
    group_id uuid not null references voucher_group (id),
    token_id text not null,
    requested_count double precision,
    count integer not null check (count > 0),
    first_seq bigint not null,
    last_seq bigint not null,
    created_at timestamptz not null,
    expires_at timestamptz
  )`;

/**
 * Codes are stored without hyphens. There is no status `expired`: coupons that are still active count as expired when their group has
 * ended, and their rows do not change. Pages without a status filter are read by the primary key, newest first. There are no foreign keys:
 * coupons are only inserted with their batch, while their group is locked, so checking a foreign key for each coupon would add no safety.
 */
const COUPON = `
  create table coupon (
    group_id uuid not null,
    seq bigint generated always as identity,
    id uuid not null,
    batch_id uuid not null,
    code text not null check (code ~ '^[A-HJ-NP-Z2-9]{16}$'),
    status text not null default 'active' check (status in ('active', 'redeemed', 'revoked')),
    created_at timestamptz not null,
    redeemed_at timestamptz,
    subscription_id text,
    primary key (group_id, seq),
    constraint coupon_code_key unique (code),
    check ((status = 'redeemed') = (redeemed_at is not null)),
    check ((status = 'redeemed') = (subscription_id is not null))
  )`;

/** The index for pages of coupons with one status. */
const COUPON_STATUS = 'create index coupon_status on coupon (group_id, status, seq)';

/** The answer to a request is not stored. A repeat of the request gets an answer that is rebuilt from the batch. */
const IDEMPOTENCY_KEY = `
  create table idempotency_key (
    token_id text not null,
    key text not null,
    batch_id uuid not null references batch (id),
    created_at timestamptz not null,
    primary key (token_id, key)
  )`;

const IDEMPOTENCY_KEY_AGE = 'create index idempotency_key_age on idempotency_key (created_at)';

const STATEMENTS = [
  VOUCHER_GROUP,
  GROUPS_OF_PARTNER,
  BATCH,
  COUPON,
  COUPON_STATUS,
  IDEMPOTENCY_KEY,
  IDEMPOTENCY_KEY_AGE,
];
