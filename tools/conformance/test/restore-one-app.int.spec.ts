import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SchemaDefinition } from '@tandem/database';
import { migrateApps } from '@tandem/service-defaults';
import { startPostgresServer, TEST_ROLE_PASSWORD } from '@tandem/testing';
import { Client } from 'pg';
import { APPS } from '../../../apps/apps';

const ROOT = path.resolve(__dirname, '../../..');

/** The state at the moment to which the apps are restored. */
const BEFORE = `
  insert into partner.partner (id, name, kind, revoke_window_days) values ('p1', 'Acme', 'promotion', 14);
  insert into partner.portal_link (id, partner_id, environment, read_only, code_hash, created_by, expires_at)
    select id, 'p1', 'live', false, sha256(id::bytea), 'manager-1', now() + interval '1 day'
    from unnest(array['plk_unused', 'plk_used', 'plk_ended']) as id;
  insert into partner.partner_token (id, partner_id, environment, scopes, hash, last4, portal_link_id)
    select id, 'p1', 'live', '{sales:read}', sha256(id::bytea), 'abcd', case id when 'tok_session' then 'plk_ended' end
    from unnest(array['tok_kept', 'tok_revoked', 'tok_leaked', 'tok_rotated', 'tok_session']) as id;
  insert into partner.promotion (id, partner_id, code, percent_off) values ('prm_1', 'p1', 'ACME', 20);
  insert into postback.dead_letter (consumer, event_id, topic, "partition", "offset", headers, reason, attempts, failed_at)
    values ('postback-dispatcher', gen_random_uuid(), 'sale.completed', 0, 0, '{}', 'Error: x', 5, now() - interval '1 day')`;

/** The changes after that moment: those of managers and of a portal link's user, and the replay of the dead letter. */
const AFTER = `
  update partner.partner set active = false;
  update partner.promotion set active = false, deactivated_at = now();
  update partner.partner_token set revoked_at = now() where id in ('tok_revoked', 'tok_leaked', 'tok_session');
  update partner.partner_token set replaced_by = 'tok_kept', expires_at = now() where id = 'tok_rotated';
  update partner.portal_link set ended_at = now() where id = 'plk_ended';
  update partner.portal_link set used_at = now() where id = 'plk_used';
  update postback.dead_letter set replayed_at = now();
  insert into partner.audit_entry (actor, request_id, action, entity, entity_id, after) values
    ('manager-1', 'r', 'token.revoked', 'partner_token', 'tok_revoked', '{}'),
    ('manager-1', 'r', 'token.leaked', 'partner_token', 'tok_leaked', '{}'),
    ('manager-1', 'r', 'token.rotated', 'partner_token', 'tok_rotated', '{}'),
    ('manager-1', 'r', 'portal_link.ended', 'portal_link', 'plk_ended', '{}'),
    ('portal-link:plk_used', 'r', 'portal_link.used', 'portal_link', 'plk_used', '{}'),
    ('manager-1', 'r', 'partner.changed', 'partner', 'p1', '{"active": false}'),
    ('manager-1', 'r', 'promotion.changed', 'promotion', 'prm_1', '{"active": false}')`;

jest.setTimeout(300_000);

describe('a restore of one app', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'tandem-restore-'));
  let server: Awaited<ReturnType<typeof startPostgresServer>>;
  let to = '';

  const urlOf = (database: string): string => Object.assign(new URL(server.url), { pathname: `/${database}` }).href;
  async function query<Row extends object>(database: string, sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: urlOf(database) });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  async function command(...args: string[]): Promise<{ code: number | null; out: string }> {
    const child = spawn(process.execPath, args, { cwd: ROOT, env: { ...process.env, TANDEM_DIR: home } });
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (out += text.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out };
  }
  const repair = (app: string, since = to) =>
    command('tools/backup/repair.mjs', '--app', app, '--since', since, '--url', urlOf('live'));
  async function restore(app: string): Promise<void> {
    const servers = ['--from', urlOf('restored'), '--url', urlOf('live')];
    const { code, out } = await command('tools/backup/restore.mjs', '--app', app, '--to', to, ...servers);
    expect([code, out]).toEqual([0, expect.stringContaining('Restored to')]);
  }

  beforeAll(async () => {
    server = await startPostgresServer();
    const apps = APPS.map(async ({ name }) => {
      const { SCHEMA } = (await import(path.join(ROOT, 'apps', name, 'src/migrations'))) as {
        SCHEMA: SchemaDefinition;
      };
      return { app: name, schema: SCHEMA, rolePassword: TEST_ROLE_PASSWORD };
    });
    await migrateApps({ superuserUrl: urlOf('live'), bus: 'postgres', apps: await Promise.all(apps) });
    await query('live', BEFORE);
    await query('postgres', 'create database restored template live');
    const [row] = await query<{ now: Date }>('live', 'select clock_timestamp() as now');
    to = row?.now.toISOString() ?? '';
    await query('live', AFTER);
    await restore('partner-gateway');
    await restore('postback-dispatcher');
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('does not return the access of tokens and portal links that were withdrawn since then', async () => {
    const tokens = await query<{ id: string }>(
      'live',
      'select id from partner.partner_token where revoked_at is null order by id',
    );
    expect(tokens.map(({ id }) => id)).toEqual(['tok_kept', 'tok_rotated']);
    const links = await query<{ id: string }>(
      'live',
      'select id from partner.portal_link where used_at is null and ended_at is null',
    );
    expect(links.map(({ id }) => id)).toEqual(['plk_unused']);
  });

  it('is followed by a repair that lists changes of access which managers must repeat, until they have', async () => {
    const { code, out } = await repair('partner-gateway');
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/1 partners .*: p1\n.*1 promotions .*: prm_1\n.*1 tokens .*: tok_rotated/),
    ]);
    await query(
      'live',
      `update partner.partner set active = false; update partner.promotion set active = false, deactivated_at = now();
      update partner.partner_token set revoked_at = now() where id = 'tok_rotated'`,
    );
    expect(await repair('partner-gateway')).toMatchObject({ code: 0 });
  });

  it('is followed by a repair that lists dead letters whose replay the restore has undone', async () => {
    const { code, out } = await repair('postback-dispatcher');
    expect([code, out]).toEqual([1, expect.stringContaining('1 dead letters')]);
  });

  it('is followed by a repair that reports the time of which the bus no longer has the revocations', async () => {
    const [row] = await query<{ at: Date }>('live', `select now() - interval '8 days' as at`);
    const { code, out } = await repair('partner-gateway', row?.at.toISOString());
    expect([code, out]).toEqual([1, expect.stringContaining('the bus keeps events for 7 days')]);
  });
});
