import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users, how often their identity was refused, their subscriptions, and what they are enrolled in. */
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

/** Personal data is encrypted: each value with its key's id in front. What is kept of a user elsewhere goes with this row. */
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

/** By KRN and not by profile: attempts count before there is one. */
const VERIFICATION = `
  create table verification (
    krn text primary key,
    attempts smallint not null check (attempts between 0 and 3),
    wait_until timestamptz,
    authenticated boolean not null,
    last_attempt_at timestamptz not null
  )`;

/** What a subscription is worth follows from its events; the row says whose it is, and locks it while events are added. */
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

/** \`wanted\` is ours, \`active\` is the vendor's, as far as we know. Rows of what was ever wanted stay. */
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
 * Users whom the vendor may know otherwise than we do. Not bound to a profile: one that is gone is to be gone at the vendor too.
 * \`requested\` grows with each request, so that the end of a run does not swallow a request that came during it.
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
