import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the tables for endpoints, their schedule, sales, deliveries, attempts and replicas. The app itself creates the partitions: see
 * delivery/partition.service.ts.
 */
export class CreatePostbackTables1732060900000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of statements) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['replica', 'attempt', 'delivery', 'sale_delivery', 'endpoint_schedule', 'endpoint']) {
      await runner.query(`drop table ${table}`);
    }
  }
}

/** The partners' configurations. `config_version` increases with each save, and an attempt uses the newest version. */
const ENDPOINT = `
  create table endpoint (
    id uuid primary key,
    partner_id text not null,
    environment text not null check (environment in ('live', 'test')),
    url text not null,
    auth_method text not null check (auth_method in ('Bearer', 'Basic')),
    key_encrypted text not null,
    signing_secret_encrypted text not null,
    previous_secrets_encrypted text,
    config_version integer not null default 1,
    status text not null default 'active' check (status in ('active', 'disabled')),
    disabled_reason text,
    consecutive_exhausted integer not null default 0,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    constraint endpoint_owner unique (partner_id, environment),
    check ((status = 'disabled') = (disabled_reason is not null))
  )`;

/**
 * Stores which process sends to an endpoint, and when the endpoint is due next. This table is separate from the configurations, because its
 * rows change all the time. `next_due_at` is never later than the next attempt of any pending delivery. It may be earlier, and it may be
 * null when no delivery is pending.
 */
const ENDPOINT_SCHEDULE = `
  create table endpoint_schedule (
    endpoint_id uuid primary key references endpoint (id) on delete cascade,
    next_due_at timestamptz,
    blocked_until timestamptz,
    breaker_level smallint not null default 0,
    lease_owner uuid,
    lease_epoch bigint not null default 0,
    lease_until timestamptz
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200)`;

const DUE_INDEX = 'create index endpoint_schedule_due on endpoint_schedule (next_due_at) where next_due_at is not null';

/**
 * A row for each sale that has had a delivery, so that no sale gets a second delivery. A separate table is needed, because the partitioned
 * table `delivery` cannot have a unique index on the sale alone.
 */
const SALE_DELIVERY = `
  create table sale_delivery (
    oid text not null,
    environment text not null,
    delivery_id uuid not null,
    created_at timestamptz not null default clock_timestamp(),
    primary key (oid, environment)
  )`;

/** The ids of sales' deliveries are ordered by time (UUIDv7). The id of a delivery is the `webhook-id` of its attempts. */
const DELIVERY = `
  create table delivery (
    id uuid not null,
    created_at timestamptz not null default clock_timestamp(),
    partner_id text not null,
    environment text not null,
    endpoint_id uuid,
    oid text not null,
    event_id text not null,
    body text not null,
    status text not null check (status in ('pending', 'delivered', 'failed', 'held')),
    failure_reason text,
    attempt_count smallint not null default 0,
    next_attempt_at timestamptz,
    delivered_at timestamptz,
    primary key (id, created_at),
    check ((status = 'pending') = (next_attempt_at is not null)),
    check (status <> 'pending' or endpoint_id is not null)
  ) partition by range (created_at)`;

const PENDING_INDEX =
  "create index delivery_pending on delivery (endpoint_id, next_attempt_at, id) where status = 'pending'";

const ATTEMPT = `
  create table attempt (
    delivery_id uuid not null,
    number smallint not null,
    at timestamptz not null,
    status smallint,
    latency_ms integer not null,
    error text,
    response text,
    primary key (delivery_id, number, at)
  ) partition by range (at)`;

/** The running processes of this app, so that each process takes no more than its share of the endpoints. */
const REPLICA = `
  create table replica (
    id uuid primary key,
    seen_until timestamptz not null
  )`;

const SALE_DELIVERY_AGE = 'create index sale_delivery_age on sale_delivery using brin (created_at)';

const statements = [
  ENDPOINT,
  ENDPOINT_SCHEDULE,
  DUE_INDEX,
  SALE_DELIVERY,
  SALE_DELIVERY_AGE,
  DELIVERY,
  PENDING_INDEX,
  ATTEMPT,
  REPLICA,
];
