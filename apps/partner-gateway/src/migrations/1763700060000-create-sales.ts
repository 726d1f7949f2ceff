import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSales1763700060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sale (
        oid text primary key,
        seq bigint generated always as identity unique,
        status text not null default 'unattributed' check (status in
          ('unattributed', 'pending', 'held', 'qualified', 'failed', 'revoked', 'refunded', 'charged_back')),
        version integer not null default 0,
        partner_id text references partner (id),
        promotion_id text references promotion (id),
        environment text check (environment in ('live', 'test')),
        shared_id text,
        attributed_by text check (attributed_by in ('checkout', 'code')),
        attributed_at timestamptz,
        payment_status text check (payment_status in ('captured', 'pending', 'failed')),
        sold_at timestamptz,
        amount text,
        currency text,
        items jsonb,
        email_masked text,
        email_hash text,
        closed_by text check (closed_by in ('refunded', 'charged_back')),
        closed_at timestamptz,
        hold_reason text,
        hold_decision text check (hold_decision in ('released', 'refused')),
        failure_reason text,
        qualified_at timestamptz,
        revoked_at timestamptz,
        revoke_reason text,
        revoke_note text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        check ((status = 'unattributed') = (partner_id is null)),
        check (status not in ('qualified', 'revoked') or qualified_at is not null),
        check ((status = 'revoked') = (revoked_at is not null))
      )`);
    await runner.query(`create index sale_status on sale (status, seq)`);
    // Serves the fraud rule that limits the number of sales that an e-mail address can have within an hour.
    await runner.query(`create index sale_buyer on sale (email_hash, sold_at) where email_hash is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop table sale`);
  }
}
