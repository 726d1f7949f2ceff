import { Gateway, type TestPartner } from './gateway';

const SESSION = '/api/v2/partner/portal-session';
const CONSOLE = 'https://partners.example.com/console';
const HOUR_MS = 3_600_000;

describe('portal links', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  const create = (body: object = {}, id = partner.id) =>
    gateway.manage('POST', `/admin/partners/${id}/portal-links`, { environment: 'live', ...body });
  const codeOf = (url: unknown): string => String(url).split('#')[1] ?? '';
  const open = (code: string) => gateway.request('POST', SESSION, { token: code });
  const account = (token: string) => gateway.request('GET', '/api/v2/partner/account', { token });
  const auditOf = async (id: unknown) =>
    (await gateway.manage('GET', `/admin/audit?entityId=${id}`)).body.items as Record<string, unknown>[];
  const session = async (body: object = {}): Promise<{ linkId: string; token: string; expiresAt: string }> => {
    const link = (await create(body)).body;
    const opened = await open(codeOf(link.url));
    expect(opened.status).toBe(201);
    return { linkId: link.id as string, ...(opened.body as { token: string; expiresAt: string }) };
  };

  it('are shown once, stored without their code, and audited [admin.portal-links]', async () => {
    const { status, body, headers } = await create({ lifetimeSeconds: 3600 });
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { url, ...view } = body;
    expect(url).toMatch(new RegExp(`^${CONSOLE}/portal#[A-Za-z0-9_-]{43}$`));
    expect(view).toMatchObject({ partnerId: partner.id, environment: 'live', readOnly: false, createdBy: 'manager-1' });
    expect(Date.parse(String(view.expiresAt)) - Date.parse(String(view.createdAt))).toBe(HOUR_MS);
    const list = await gateway.manage('GET', `/admin/partners/${partner.id}/portal-links`);
    expect((list.body.items as object[])[0]).toEqual(view);
    const rows = await gateway.database.query('select * from partner.portal_link');
    const kept = JSON.stringify([list.body, rows, await auditOf(view.id)]);
    expect(kept).not.toContain(codeOf(url));
    expect(await auditOf(view.id)).toMatchObject([{ action: 'portal_link.created', actor: 'manager-1', after: view }]);
  });

  it.each([
    [{ environment: 'prod' }, 'environment'],
    [{ lifetimeSeconds: 59 }, 'lifetimeSeconds'],
    [{ lifetimeSeconds: 604_801 }, 'lifetimeSeconds'],
    [{ readOnly: 'yes' }, 'readOnly'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\u0000' }, 'name'],
  ])('are not created from %j [admin.portal-links]', async (body, field) => {
    expect(await create(body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  it('cannot be created or listed for an unknown partner, or ended with an unknown id: the answer is 404', async () => {
    expect((await create({}, 'ptn_unknown')).status).toBe(404);
    expect((await gateway.manage('GET', '/admin/partners/ptn_unknown/portal-links')).status).toBe(404);
    expect((await gateway.manage('DELETE', '/admin/portal-links/plk_unknown')).status).toBe(404);
  });

  it('open a session of 12 hours, and no second session [portal.once, portal.session]', async () => {
    const link = (await create()).body;
    const code = codeOf(link.url);
    const { status, body, headers } = await open(code);
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(Math.abs(Date.parse(String(body.expiresAt)) - Date.now() - 12 * HOUR_MS)).toBeLessThan(60_000);
    expect(body.scopes).toEqual(['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write']);
    expect((await account(String(body.token))).body).toMatchObject({ id: partner.id, environment: 'live' });
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const again = await open(code);
      expect([again.status, again.body.code, again.headers.get('www-authenticate')]).toEqual([
        401,
        'unauthorized',
        'Bearer',
      ]);
    }
    expect(await auditOf(link.id)).toMatchObject([
      { action: 'portal_link.used', actor: `portal-link:${link.id}` },
      { action: 'portal_link.created' },
    ]);
  });

  it('open only one session even when one link is opened eight times concurrently [portal.once]', async () => {
    const code = codeOf((await create()).body.url);
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(401)]);
  });

  it('are refused with the same answer whether unknown, malformed, expired or ended [portal.once]', async () => {
    const expired = (await create()).body;
    await gateway.database.query(`update partner.portal_link set expires_at = now() where id = $1`, [expired.id]);
    const ended = (await create()).body;
    expect((await gateway.manage('DELETE', `/admin/portal-links/${ended.id}`)).status).toBe(204);
    for (const code of ['x', 'A'.repeat(43), partner.token, codeOf(expired.url), codeOf(ended.url)]) {
      const { status, body } = await open(code);
      expect([status, body.code]).toEqual([401, 'unauthorized']);
    }
    expect((await gateway.request('POST', SESSION)).status).toBe(401);
  });

  it('can open a session that is read-only and limited to test data [portal.session]', async () => {
    const { token } = await session({ readOnly: true, environment: 'test' });
    expect((await account(token)).body).toMatchObject({ environment: 'test', scopes: ['sales:read', 'postback:read'] });
    const refused = await gateway.request('GET', '/api/v2/partner/subscription/create-checkout-url', { token });
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
  });

  it('have a name, and show when they were opened and when their session ends or ended [admin.portal-links]', async () => {
    const { id } = await gateway.createPartner();
    const listed = async () => (await gateway.manage('GET', `/admin/partners/${id}/portal-links`)).body.items;
    const unnamed = (await create({}, id)).body;
    expect(unnamed).toMatchObject({ name: null, usedAt: null, sessionEndsAt: null });
    const named = (await create({ name: 'Anna, accounting' }, id)).body;
    const opened = (await open(codeOf(named.url))).body;
    const used = {
      id: named.id,
      name: 'Anna, accounting',
      usedAt: expect.any(String),
      sessionEndsAt: opened.expiresAt,
    };
    expect(await listed()).toMatchObject([used, { id: unnamed.id, sessionEndsAt: null }]);
    expect(await auditOf(named.id)).toMatchObject([
      { action: 'portal_link.used', after: { sessionEndsAt: opened.expiresAt } },
      {},
    ]);

    expect((await gateway.request('DELETE', SESSION, { token: String(opened.token) })).status).toBe(204);
    const [signedOut] = (await listed()) as { endedAt: string | null; usedAt: string; sessionEndsAt: string }[];
    expect(signedOut?.endedAt).toBe(null);
    expect(Date.parse(String(signedOut?.sessionEndsAt))).toBeLessThan(Date.parse(String(opened.expiresAt)));
    expect(Date.parse(String(signedOut?.sessionEndsAt))).toBeGreaterThanOrEqual(Date.parse(String(signedOut?.usedAt)));
  });

  it('cannot be opened while the partner is inactive, and can be opened afterwards [portal.once]', async () => {
    const other = await gateway.createPartner();
    const code = codeOf((await create({}, other.id)).body.url);
    await gateway.manage('PATCH', `/admin/partners/${other.id}`, { active: false });
    expect(await open(code)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    await gateway.manage('PATCH', `/admin/partners/${other.id}`, { active: true });
    expect((await open(code)).status).toBe(201);
  });

  it('end immediately, together with their session, when a manager ends them [portal.end]', async () => {
    const { linkId, token } = await session();
    const { items } = (await gateway.manage('GET', `/admin/partners/${partner.id}/tokens`)).body;
    expect(items as object[]).toContainEqual(expect.objectContaining({ portalLinkId: linkId, revokedAt: null }));
    expect((await gateway.manage('DELETE', `/admin/portal-links/${linkId}`)).status).toBe(204);
    expect((await account(token)).status).toBe(401);
    expect((await gateway.manage('DELETE', `/admin/portal-links/${linkId}`)).status).toBe(204);
    expect((await auditOf(linkId)).map(({ action }) => action)).toEqual([
      'portal_link.ended',
      'portal_link.used',
      'portal_link.created',
    ]);
  });

  it('open sessions that the partner can end, but whose tokens a manager cannot rotate [portal.end]', async () => {
    const { linkId, token } = await session();
    const { items } = (await gateway.manage('GET', `/admin/partners/${partner.id}/tokens`)).body;
    const { id } =
      (items as { id: string; portalLinkId: string | null }[]).find((one) => one.portalLinkId === linkId) ?? {};
    for (const act of ['rotate', 'leaked']) {
      const refused = await gateway.manage('POST', `/admin/tokens/${id}/${act}`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'portal_session' } });
    }
    expect((await gateway.request('DELETE', SESSION, { token })).status).toBe(204);
    expect((await gateway.request('DELETE', SESSION, { token })).status).toBe(401);
    expect(await auditOf(String(id))).toMatchObject([{ action: 'token.revoked', actor: `portal-link:${linkId}` }]);
    const refused = await gateway.request('DELETE', SESSION, { token: partner.token });
    expect(refused).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect((await account(partner.token)).status).toBe(200);
  });

  it('are deleted together with the tokens of their sessions', async () => {
    const { linkId } = await session();
    await gateway.database.query('delete from partner.portal_link where id = $1', [linkId]);
    const left = await gateway.database.query('select id from partner.partner_token where portal_link_id = $1', [
      linkId,
    ]);
    expect(left).toEqual([]);
  });
});
