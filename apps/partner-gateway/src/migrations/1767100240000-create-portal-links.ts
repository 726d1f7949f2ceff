import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Creates the table of portal links. A link opens a partner's portal once: the link is exchanged for a session. The token of the session is
 * deleted together with the link.
 */
export class CreatePortalLinks1767100240000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table portal_link (
        id text primary key,
        seq bigint generated always as identity unique,
        partner_id text not null references partner (id),
        environment text not null check (environment in ('live', 'test')),
        read_only boolean not null,
        code_hash bytea not null constraint portal_link_code_hash_key unique check (octet_length(code_hash) = 32),
        created_by text not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        used_at timestamptz,
        ended_at timestamptz
      )`);
    await runner.query('create index portal_link_partner on portal_link (partner_id, seq)');
    await runner.query('create index portal_link_expires on portal_link (expires_at)');
    await runner.query(
      'alter table partner_token add column portal_link_id text references portal_link (id) on delete cascade',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('delete from partner_token where portal_link_id is not null');
    await runner.query('alter table partner_token drop column portal_link_id');
    await runner.query('drop table portal_link');
  }
}
