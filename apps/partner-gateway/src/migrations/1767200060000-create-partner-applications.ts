import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Creates the table of applications to become a partner. An e-mail address has at most one pending application. */
export class CreatePartnerApplications1767200060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table partner_application (
        id text primary key,
        seq bigint generated always as identity unique,
        status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
        kind text not null check (kind in ('promotion', 'voucher')),
        company_name text not null,
        website text,
        contact_encrypted text not null,
        email_hash text not null,
        partner_id text references partner (id),
        decision_note text,
        created_at timestamptz not null default now(),
        decided_at timestamptz,
        updated_at timestamptz not null default now(),
        check ((status = 'approved') = (partner_id is not null)),
        check ((status = 'pending') = (decided_at is null))
      )`);
    await runner.query(
      `create unique index partner_application_pending on partner_application (email_hash) where status = 'pending'`,
    );
    await runner.query('create index partner_application_status on partner_application (status, seq)');
    await runner.query('create index partner_application_age on partner_application (updated_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table partner_application');
  }
}
