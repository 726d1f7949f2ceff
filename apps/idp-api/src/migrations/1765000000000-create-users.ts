import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the tables of profiles, verifications, subscriptions and enrollments, and the reconciliation queue. */
export class CreateUsers1765000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'drop table reconciliation, enrollment_status, enrollment, subscription_event, subscription, verification, profile',
    );
  }
}

/**
 * Users with a profile. Personal data is encrypted, and each encrypted value starts with the id of its key. Deleting a row also deletes the
 * rows of other tables that refer to it.
 */
const PROFILE = `
  create table profile (
    krn text primary key,
    array_user_id uuid not null unique,
    version smallint not null check (version in (0, 1)),
    first_name text not null,
    last_name text not null,
    dob text not null,
    email_address text not null,
    address text not null,
    phone_number text,
    ssn text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`;

/**
 * The results of verifications. Rows have a KRN but do not refer to a profile, because refusals are counted even before the user has a
 * profile.
 */
const VERIFICATION = `
  create table verification (
    krn text primary key,
    attempts smallint not null check (attempts between 0 and 3),
    wait_until timestamptz,
    authenticated boolean not null,
    last_attempt_at timestamptz not null
  )`;

/**
 * Subscriptions. A row contains the subscription's user, and is locked while events are added. The entitlements are computed from the
 * events.
 */
const SUBSCRIPTION = `
  create table subscription (
    id text primary key,
    krn text,
    krn_at timestamptz,
    check ((krn is null) = (krn_at is null))
  )`;

const SUBSCRIPTIONS_OF_USER = 'create index subscription_krn on subscription (krn)';

const SUBSCRIPTION_EVENT = `
  create table subscription_event (
    subscription_id text not null references subscription (id),
    seq bigint generated always as identity,
    type text not null,
    occurred_at timestamptz not null,
    effective_at timestamptz,
    entitlements text[],
    payment_status text,
    primary key (subscription_id, seq)
  )`;

/** `wanted` is what this app decided; `active` is the vendor's last known state. Rows are kept when the enrollment is no longer wanted. */
const ENROLLMENT = `
  create table enrollment (
    krn text not null references profile (krn) on delete cascade,
    code text not null,
    wanted boolean not null,
    active boolean not null default false,
    reason text not null,
    activated_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (krn, code)
  )`;

const ENROLLMENT_STATUS = `
  create table enrollment_status (
    krn text not null,
    code text not null,
    seq bigint generated always as identity,
    status text not null check (status in ('active', 'inactive')),
    reason text not null,
    at timestamptz not null,
    primary key (krn, code, seq),
    foreign key (krn, code) references enrollment (krn, code) on delete cascade
  )`;

/**
 * The queue of users whose state at the vendor may differ from the wanted state. Rows do not refer to a profile, because a user whose
 * profile was deleted must still be deleted at the vendor. `requested` increases with each request, so that the end of a run does not
 * discard a request that arrived during the run.
 */
const RECONCILIATION = `
  create table reconciliation (
    krn text primary key,
    due_at timestamptz not null,
    requested bigint not null default 1,
    failures integer not null default 0,
    personal_data boolean not null default false
  )`;

const RECONCILIATION_DUE = 'create index reconciliation_due on reconciliation (due_at)';

const STATEMENTS = [
  PROFILE,
  VERIFICATION,
  SUBSCRIPTION,
  SUBSCRIPTIONS_OF_USER,
  SUBSCRIPTION_EVENT,
  ENROLLMENT,
  ENROLLMENT_STATUS,
  RECONCILIATION,
  RECONCILIATION_DUE,
];
