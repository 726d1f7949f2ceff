import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The number of shards into which the endpoints are divided. */
const SHARDS = 64;

/**
 * Lets replicas own shards of endpoints instead of single endpoints: see docs/decisions/0006. The state of an endpoint's breaker moves to
 * the row of the endpoint. Pending deliveries are unchanged: the owner of their shard finds them when it takes the shard.
 */
export class OwnShards1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of up) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of down) await runner.query(statement);
  }
}

const SHARD = `
  create table shard (
    id smallint primary key,
    owner uuid,
    epoch bigint not null default 0,
    lease_until timestamptz,
    check ((owner is null) = (lease_until is null))
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`;

/**
 * The last byte of an endpoint's random id selects its shard. `failing_since` is the time at which the level of the breaker or the count of
 * exhausted deliveries became greater than zero, or at which a result disabled the endpoint. It is null after a success.
 */
const ENDPOINT = `
  alter table endpoint
    add column shard smallint not null generated always as ((get_byte(uuid_send(id), 15) % ${SHARDS})::smallint) stored,
    add column breaker_level smallint not null default 0,
    add column blocked_until timestamptz,
    add column failing_since timestamptz`;

const KEEP_BREAKER = `
  update endpoint e set breaker_level = s.breaker_level, blocked_until = s.blocked_until,
    failing_since = case when s.breaker_level > 0 or e.consecutive_exhausted > 0 then clock_timestamp() end
  from endpoint_schedule s where s.endpoint_id = e.id`;

/** Adds the columns for the trace of the event that caused a delivery, and for the last time at which a replay restarted its attempts. */
const DELIVERY = 'alter table delivery add column traceparent text, add column replayed_at timestamptz';

/** An index of the held and failed deliveries, which are counted for the person on call. */
const UNSENT_INDEX = "create index delivery_unsent on delivery (status, created_at) where status in ('held', 'failed')";

const up = [
  SHARD,
  `insert into shard (id) select generate_series(0, ${SHARDS - 1})`,
  ENDPOINT,
  KEEP_BREAKER,
  'drop table endpoint_schedule',
  DELIVERY,
  UNSENT_INDEX,
];

/**
 * Restores the table that CreatePostbackTables created, when the migration is reverted. Every endpoint is then due, now or at the end of
 * its pause, so its owner reads its pending deliveries.
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

const down = [
  'drop index delivery_unsent',
  'alter table delivery drop column traceparent, drop column replayed_at',
  ENDPOINT_SCHEDULE,
  'create index endpoint_schedule_due on endpoint_schedule (next_due_at) where next_due_at is not null',
  `insert into endpoint_schedule (endpoint_id, next_due_at, blocked_until, breaker_level)
   select id, greatest(clock_timestamp(), blocked_until), blocked_until, breaker_level from endpoint`,
  `alter table endpoint drop column shard, drop column breaker_level, drop column blocked_until, drop column failing_since`,
  'drop table shard',
];
