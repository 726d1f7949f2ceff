import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePartnerAccounts1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table partner (
        id text primary key,
        seq bigint generated always as identity unique,
        name text not null,
        kind text not null check (kind in ('promotion', 'voucher')),
        active boolean not null default true,
        contact_email_encrypted text,
        contact_email_hash text,
        revoke_window_days smallint not null check (revoke_window_days between 0 and 90),
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        check ((contact_email_encrypted is null) = (contact_email_hash is null))
      )`);
    await runner.query(`
      create table partner_token (
        id text primary key,
        seq bigint generated always as identity unique,
        partner_id text not null references partner (id),
        environment text not null check (environment in ('live', 'test')),
        scopes text[] not null,
        hash bytea not null constraint partner_token_hash_key unique check (octet_length(hash) = 32),
        last4 text not null,
        expires_at timestamptz,
        revoked_at timestamptz,
        replaced_by text references partner_token (id),
        last_used_at timestamptz,
        created_at timestamptz not null default now()
      )`);
    await runner.query(`create index partner_token_partner on partner_token (partner_id, seq)`);
    await runner.query(`
      create table promotion (
        id text primary key,
        seq bigint generated always as identity unique,
        partner_id text not null references partner (id),
        code text not null,
        percent_off smallint not null check (percent_off between 1 and 100),
        active boolean not null default true,
        deactivated_at timestamptz,
        created_at timestamptz not null default now(),
        check (active = (deactivated_at is null))
      )`);
    // Customers type the code, so it is compared without regard to case.
    await runner.query(`create unique index promotion_code on promotion (lower(code))`);
    // A partner has at most one active promotion: its dedicated discount.
    await runner.query(`create unique index promotion_active on promotion (partner_id) where active`);
    await runner.query(`create index promotion_partner on promotion (partner_id, seq)`);
    await runner.query(`
      create table audit_entry (
        seq bigint generated always as identity primary key,
        at timestamptz not null default now(),
        actor text not null,
        action text not null,
        entity text not null,
        entity_id text not null,
        before jsonb,
        after jsonb,
        request_id text not null
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table audit_entry, promotion, partner_token, partner`);
  }
}
