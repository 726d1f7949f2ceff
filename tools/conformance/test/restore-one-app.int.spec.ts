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

/** Creates the state at the moment to which the apps are restored. */
const BEFORE = `
  insert into partner.partner (id, name, kind, revoke_window_days, active) values
    ('p1', 'Acme', 'promotion', 14, true), ('p2', 'Bell', 'promotion', 30, false), ('p3', 'Coil', 'promotion', 30, true),
    ('p4', 'Dune', 'promotion', 30, true);
  insert into partner.portal_link (id, partner_id, environment, read_only, code_hash, created_by, expires_at)
    select id, 'p1', 'live', false, sha256(id::bytea), 'manager-1', now() + interval '1 day'
    from unnest(array['plk_unused', 'plk_used', 'plk_ended']) as id;
  insert into partner.partner_token (id, partner_id, environment, scopes, hash, last4, portal_link_id)
    select id, 'p1', 'live', '{sales:read}', sha256(id::bytea), 'abcd', case id when 'tok_session' then 'plk_ended' end
    from unnest(array['tok_kept', 'tok_revoked', 'tok_leaked', 'tok_rotated', 'tok_session']) as id;
  insert into partner.promotion (id, partner_id, code, percent_off, active, deactivated_at) values
    ('prm_1', 'p1', 'ACME', 20, true, null), ('prm_2', 'p2', 'BELL', 10, true, null), ('prm_3', 'p2', 'BELL-2', 15, false, now()),
    ('prm_4', 'p3', 'COIL', 20, true, null);
  insert into partner.audit_entry (actor, request_id, action, entity, entity_id, after)
    values ('manager-1', 'r', 'partner.changed', 'partner', 'p4',
      '{"name": "Before", "active": false, "revokeWindowDays": 1, "updatedAt": "2026-03-01T12:00:00.000Z"}');
  insert into postback.dead_letter (consumer, event_id, topic, "partition", "offset", headers, reason, attempts, failed_at)
    values ('postback-dispatcher', gen_random_uuid(), 'sale.completed', 0, 0, '{}', 'Error: x', 5, now() - interval '1 day')`;

/**
 * Returns a statement that records changes of partners or promotions as partner-gateway does. Each audit entry contains
 * the present values of all columns that the audit trail contains.
 */
const audited = (action: 'partner.changed' | 'promotion.changed' | 'promotion.created', ids: string): string => {
  const [entity = ''] = action.split('.');
  const fields =
    entity === 'partner'
      ? `'name', name, 'active', active, 'revokeWindowDays', revoke_window_days, 'contactEmail', 'a***e@example.com', 'updatedAt', updated_at`
      : `'partnerId', partner_id, 'code', code, 'percentOff', percent_off, 'active', active, 'deactivatedAt', deactivated_at,
        'createdAt', created_at`;
  return `insert into partner.audit_entry (actor, request_id, action, entity, entity_id, before, after)
    select 'manager-1', 'r', '${action}', '${entity}', id, '{"contactEmail": "a***e@example.com"}', jsonb_build_object('id', id, ${fields})
    from partner.${entity} where id in (${ids})`;
};

/**
 * Makes the changes after the moment of `BEFORE`: those of managers, those of the user of a portal link, and the replay of
 * the dead letter.
 */
const AFTER = `
  update partner.partner set active = not active, updated_at = clock_timestamp() where id <> 'p4';
  update partner.partner set name = 'Bell & Co', revoke_window_days = 7 where id = 'p2';
  ${audited('partner.changed', `'p1', 'p2', 'p3'`)};
  update partner.partner set active = true, updated_at = clock_timestamp() where id = 'p3';
  ${audited('partner.changed', `'p3'`)};
  update partner.audit_entry set before = '{"contactEmail": null}' where entity_id = 'p2';
  update partner.promotion set active = false, deactivated_at = clock_timestamp() where active;
  ${audited('promotion.changed', `'prm_1', 'prm_2', 'prm_4'`)};
  update partner.promotion set active = true, deactivated_at = null where id = 'prm_3';
  ${audited('promotion.changed', `'prm_3'`)};
  insert into partner.promotion (id, partner_id, code, percent_off) values ('prm_5', 'p3', 'COIL-2', 25), ('prm_6', 'p1', 'ACME-2', 30);
  ${audited('promotion.created', `'prm_5', 'prm_6'`)};
  update partner.promotion set active = false, deactivated_at = clock_timestamp() where id = 'prm_6';
  ${audited('promotion.changed', `'prm_6'`)};
  insert into partner.partner (id, name, kind, revoke_window_days) values ('p_new', 'New', 'promotion', 14);
  insert into partner.promotion (id, partner_id, code, percent_off) values ('prm_new', 'p_new', 'NEW', 20);
  ${audited('promotion.created', `'prm_new'`)};
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
    ('portal-link:plk_used', 'r', 'portal_link.used', 'portal_link', 'plk_used', '{}')`;

/**
 * The next two queries select the partners and promotions whose state must be the same before and after the restore: all except
 * the partner that was created after the restored moment, and its promotion.
 */
const PARTNERS = `select id, name, active, revoke_window_days, updated_at::text from partner.partner where id <> 'p_new' order by id`;
const PROMOTIONS = `select id, partner_id, code, percent_off, active, deactivated_at::text, created_at::text from partner.promotion
  where id <> 'prm_new' order by seq`;

/**
 * The sales of p1 as partner-gateway decides them again after the restore, when p1 is inactive. Two of them had qualified
 * and have deliveries, because they were sold before p1 was deactivated.
 */
const DECIDED_AGAIN = `
  insert into partner.sale (oid, status, failure_reason, partner_id, promotion_id, environment, closed_by) values
    ('sold', 'failed', 'partner_inactive', 'p1', 'prm_1', 'live', null),
    ('sold-late', 'failed', 'partner_inactive', 'p1', 'prm_1', 'live', null),
    ('refunded', 'refunded', null, 'p1', 'prm_1', 'live', 'refunded');
  insert into postback.sale_delivery (oid, environment, delivery_id)
    select oid, 'live', gen_random_uuid() from unnest(array['sold', 'refunded']) as oid;
  update postback.sale_delivery set closed_by = 'refunded', closed_at = now() where oid = 'refunded'`;

/**
 * Two sales that were revoked after the restored moment; the second one was refunded after its revocation. The restored
 * app has handled their purchases and the refund again, but not the revocations, whose events have version 2.
 */
const REVOKED = `
  insert into partner.sale (oid, status, partner_id, promotion_id, environment, version, qualified_at, closed_by) values
    ('revoked', 'qualified', 'p1', 'prm_1', 'live', 1, now(), null),
    ('revoked-refunded', 'refunded', 'p1', 'prm_1', 'live', 2, now(), 'refunded');
  insert into bus.event_log (topic, "partition", "offset", key, headers, value, appended_at)
    select 'sale.revoked', 0, 1000 + n, oid, '{"ce_sequence": "2"}',
           convert_to('{"revokedAt": "2026-03-01T12:00:00.000Z", "reason": "fraud"}', 'UTF8'), clock_timestamp()
    from unnest(array['revoked', 'revoked-refunded']) with ordinality as sale (oid, n)`;

/**
 * postback-dispatcher has lost the last change to the limit of one partner, and partner-gateway has lost the last
 * change to the limit of another.
 */
const LIMITS = `
  update partner.partner set endpoint_concurrency = 20, endpoint_limits_revision = 5 where id = 'p1';
  update partner.partner set endpoint_concurrency = 3, endpoint_limits_revision = 1 where id = 'p2';
  insert into postback.partner_limit (partner_id, concurrency, revision) values ('p1', 7, 3), ('p2', null, 2);
  insert into postback.endpoint (id, partner_id, environment, url, auth_method, key_encrypted, signing_secret_encrypted, concurrency_max)
    values (gen_random_uuid(), 'p1', 'live', 'https://shop.example/postbacks', 'Bearer', 'x', 'x', 7)`;

jest.setTimeout(300_000);

describe('a restore of one app', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'tandem-restore-'));
  let server: Awaited<ReturnType<typeof startPostgresServer>>;
  let to = '';
  let kept: object[][] = [];
  let told = '';

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
  const rowsOfManagers = () => Promise.all([query('live', PARTNERS), query('live', PROMOTIONS)]);
  async function restore(app: string, ...options: string[]): Promise<string> {
    const servers = ['--from', urlOf('restored'), '--url', urlOf('live')];
    const { code, out } = await command('tools/backup/restore.mjs', '--app', app, '--to', to, ...servers, ...options);
    expect([code, out]).toEqual([0, expect.stringContaining('Restored to')]);
    return out;
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
    kept = await rowsOfManagers();
    told = await restore('partner-gateway');
    await restore('postback-dispatcher');
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('changes no position on the Postgres bus when the apps use Kafka, and says to set back the group in Kafka', async () => {
    const positions = () =>
      query('live', `select topic, "partition", "position", epoch from bus.group_cursor order by topic, "partition"`);
    await query(
      'live',
      `insert into bus.group_cursor (group_name, topic, "partition") values ('discovery', 'sale.completed', 0) on conflict do nothing`,
    );
    const before = await positions();
    expect(await restore('discovery', '--bus', 'kafka')).toContain('discovery: set its group in Kafka back');
    expect(await positions()).toEqual(before);
  });

  it('keeps withdrawn tokens and portal links invalid, even if they were withdrawn after the restored moment', async () => {
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

  it('repeats the changes to partners and promotions since the restored moment, before the app handles events again', async () => {
    expect(await rowsOfManagers()).toEqual(kept);
    expect(await query('live', `select id from partner.promotion where partner_id = 'p_new'`)).toEqual([]);
  });

  it('lists partners whose contact address changed since the restored moment, because the restore cannot repeat the change', () => {
    expect(told).toMatch(/contact address.*: p2\n/);
  });

  it('is followed by a repair that lists the rotations of tokens which managers have not repeated yet', async () => {
    const { code, out } = await repair('partner-gateway');
    expect([code, out]).toEqual([1, expect.stringMatching(/^! 1 tokens .*: tok_rotated$/m)]);
    expect(out).not.toMatch(/partners|promotions/);
    await query('live', `update partner.partner_token set revoked_at = now() where id = 'tok_rotated'`);
    expect(await repair('partner-gateway')).toMatchObject({ code: 0 });
  });

  it('is followed by a repair that restores the sales which qualified before their partner was deactivated', async () => {
    await query('live', DECIDED_AGAIN);
    const { out } = await repair('partner-gateway');
    expect(out).not.toContain('!');
    expect(
      await query(
        'live',
        'select oid, status, failure_reason, version, qualified_at is not null as is_qualified from partner.sale order by oid',
      ),
    ).toEqual([
      { oid: 'refunded', status: 'refunded', failure_reason: null, version: 2, is_qualified: true },
      { oid: 'sold', status: 'qualified', failure_reason: null, version: 1, is_qualified: true },
      { oid: 'sold-late', status: 'failed', failure_reason: 'partner_inactive', version: 0, is_qualified: false },
    ]);
  });

  it('is followed by a repair that lists the refunded sales whose closing was never published', async () => {
    await query('live', `update postback.sale_delivery set closed_by = null, closed_at = null where oid = 'refunded'`);
    const { code, out } = await repair('partner-gateway');
    expect([code, out]).toEqual([1, expect.stringContaining('closing was not published')]);
    expect(out).toMatch(/closing was not published.*\n?.*refunded/);
    await query(
      'live',
      `update postback.sale_delivery set closed_by = 'refunded', closed_at = now() where oid = 'refunded'`,
    );
  });

  it('is followed by a repair that restores a revocation with its version, even if the sale was refunded afterwards', async () => {
    await query('live', REVOKED);
    const { out } = await repair('partner-gateway');
    expect(out).toContain('2 restored');
    const versions = `select oid, status, version from partner.sale where oid like 'revoked%' order by oid`;
    const restored = [
      { oid: 'revoked', status: 'revoked', version: 2 },
      { oid: 'revoked-refunded', status: 'revoked', version: 3 },
    ];
    expect(await query('live', versions)).toEqual(restored);
    await repair('partner-gateway');
    expect(await query('live', versions)).toEqual(restored);
  });

  it('is followed by a repair that copies the newer limit of a partner’s endpoints to the app with the older one', async () => {
    await query('live', LIMITS);
    expect((await repair('postback-dispatcher')).out).toContain('2 restored');
    const limits = (columns: string, table: string) => query('live', `select ${columns} from ${table} order by 1`);
    const newer = [
      { id: 'p1', concurrency: 20, revision: 5 },
      { id: 'p2', concurrency: null, revision: 2 },
    ];
    expect(await limits('partner_id as id, concurrency, revision', 'postback.partner_limit')).toEqual(newer);
    const ofGateway = 'id, endpoint_concurrency as concurrency, endpoint_limits_revision as revision';
    expect((await limits(ofGateway, 'partner.partner')).slice(0, 2)).toEqual(newer);
    expect(await limits('concurrency_max, config_version', 'postback.endpoint')).toEqual([
      { concurrency_max: 20, config_version: 2 },
    ]);
  });

  it('is followed by a repair that lists dead letters whose replay the restore has undone', async () => {
    const { code, out } = await repair('postback-dispatcher');
    expect([code, out]).toEqual([1, expect.stringContaining('1 dead letters')]);
  });

  it('is followed by a repair that reports the period whose revocations the bus no longer has', async () => {
    const [row] = await query<{ at: Date }>('live', `select now() - interval '8 days' as at`);
    const { code, out } = await repair('partner-gateway', row?.at.toISOString());
    expect([code, out]).toEqual([1, expect.stringContaining('the bus keeps events for 7 days')]);
  });
});
