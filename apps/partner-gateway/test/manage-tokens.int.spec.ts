import { Gateway } from './gateway';

const CHECKOUT = '/api/v2/partner/subscription/create-checkout-url';

describe('the admin API', () => {
  let gateway: Gateway;
  const auditOf = (entityId: string) =>
    gateway.database.query(`select * from partner.audit_entry where entity_id = $1 order by seq`, [entityId]);

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  describe('tokens', () => {
    const issue = (id: string, body: object) => gateway.manage('POST', `/admin/partners/${id}/tokens`, body);
    const works = async (token: string) => (await gateway.request('GET', CHECKOUT, { token })).status === 200;

    it('are shown once, and stored without their text [interface.manager-issues, tokens.hashed, tokens.shown-once, admin.token-issue]', async () => {
      const { id } = await gateway.createPartner();
      const { status, body, headers } = await issue(id, { environment: 'test', scopes: ['checkout:create'] });
      expect(status).toBe(201);
      expect(headers.get('cache-control')).toBe('no-store');
      const { token, ...view } = body;
      expect(token).toMatch(/^ptk_test_[0-9A-Za-z]{38}$/);
      expect(view).toMatchObject({ partnerId: id, environment: 'test', scopes: ['checkout:create'], expiresAt: null });
      expect(view.last4).toBe(token.slice(-4));
      const list = await gateway.manage('GET', `/admin/partners/${id}/tokens`);
      expect(list.body.items[0]).toEqual(view);
      expect(JSON.stringify(list.body)).not.toContain(token);
      expect(JSON.stringify(await auditOf(view.id as string))).not.toContain(token);
      const rows = await gateway.database.query(`select * from partner.partner_token where id = $1`, [view.id]);
      expect(JSON.stringify(rows)).not.toContain(token);
    });

    it.each<[object, string]>([
      [{ scopes: ['postback:read'] }, 'environment'],
      [{ environment: 'prod', scopes: ['postback:read'] }, 'environment'],
      [{ environment: 'live', name: '' }, 'name'],
      [{ environment: 'live', name: 'x'.repeat(101) }, 'name'],
      [{ environment: 'live', name: 'a\u0000' }, 'name'],
      [{ environment: 'live', scopes: null }, 'scopes'],
      [{ environment: 'live', scopes: ['vouchers:read'] }, 'scopes'],
      [{ environment: 'live', scopes: ['postback:read', 'vouchers:create'] }, 'scopes'],
      [{ environment: 'live', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      [{ environment: 'live', scopes: [] }, 'scopes'],
      [{ environment: 'live', scopes: ['all'] }, 'scopes'],
      [{ environment: 'live', scopes: ['postback:read', 'postback:listen'] }, 'scopes'],
      [{ environment: 'live', scopes: ['postback:read', 'postback:read'] }, 'scopes'],
      [{ environment: 'live', scopes: ['postback:read'], expiresAt: 'soon' }, 'expiresAt'],
      [{ environment: 'live', scopes: ['postback:read'], expiresAt: '2030-01-01T00:00:00' }, 'expiresAt'],
      [{ environment: 'live', scopes: ['postback:read'], expiresAt: '2030-W01-1T00:00:00Z' }, 'expiresAt'],
      [{ environment: 'live', scopes: ['postback:read'], expiresAt: '2030-01-01T10Z' }, 'expiresAt'],
      [{ environment: 'live', scopes: ['postback:read'], expiresAt: '2030-02-30T00:00:00Z' }, 'expiresAt'],
    ])('are not issued from %j [tokens.expires-at, admin.token-issue]', async (body, field) => {
      const { id } = await gateway.createPartner();
      expect(await issue(id, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    });

    it.each([
      ['promotion', ['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write']],
      ['voucher', ['vouchers:read', 'vouchers:create']],
    ] as const)(
      'have all scopes that a %s partner can have in their environment when the request gives no scopes [admin.token-issue]',
      async (kind, scopes) => {
        const { id } = await gateway.createPartner({ kind });
        expect(await issue(id, { environment: 'live' })).toMatchObject({ status: 201, body: { scopes } });
        const listen = kind === 'promotion' ? ['postback:listen'] : [];
        expect(await issue(id, { environment: 'test' })).toMatchObject({
          status: 201,
          body: { scopes: [...scopes, ...listen] },
        });
      },
    );

    it('are not issued or stored with scopes of the other integration kind [admin.token-issue]', async () => {
      const { body: partner } = await gateway.manage('POST', '/admin/partners', { name: 'A', kind: 'voucher' });
      const id = partner.id as string;
      const scopes = ['vouchers:read', 'checkout:create', 'sales:revoke'];
      expect((await issue(id, { environment: 'live', scopes })).body.errors).toEqual([
        {
          field: 'scopes',
          message:
            'a live token of a voucher partner cannot have checkout:create, sales:revoke; its scopes are vouchers:read, vouchers:create',
        },
      ]);
      expect((await gateway.manage('GET', `/admin/partners/${id}/tokens`)).body.items).toEqual([]);
    });

    it('are rotated: both tokens work during the overlap, then only the new token [tokens.rotate, admin.token-rotate]', async () => {
      const { id } = await gateway.createPartner();
      const old = (await issue(id, { environment: 'live', scopes: ['checkout:create'] })).body;
      const { status, body } = await gateway.manage('POST', `/admin/tokens/${old.id}/rotate`, {});
      expect(status).toBe(201);
      expect(body).toMatchObject({ partnerId: id, environment: 'live', scopes: ['checkout:create'], expiresAt: null });
      expect([await works(old.token as string), await works(body.token as string)]).toEqual([true, true]);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/tokens`)).body;
      const after = items.find((item: { id: string }) => item.id === old.id);
      expect(after.replacedBy).toBe(body.id);
      expect(Date.parse(after.expiresAt) - Date.now()).toBeGreaterThan(86_390_000);
      await gateway.database.query(`update partner.partner_token set expires_at = now() where id = $1`, [old.id]);
      expect([await works(old.token as string), await works(body.token as string)]).toEqual([false, true]);
    });

    it('have a name that only managers see, and that successors keep [admin.token-issue]', async () => {
      const { id } = await gateway.createPartner();
      const first = (await issue(id, { environment: 'live', name: 'Web shop' })).body;
      expect(first).toMatchObject({ name: 'Web shop' });
      const { body: rotated } = await gateway.manage('POST', `/admin/tokens/${first.id}/rotate`, {});
      const { body: replaced } = await gateway.manage('POST', `/admin/tokens/${rotated.id}/leaked`);
      expect((await issue(id, { environment: 'live' })).body.name).toBe(null);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/tokens`)).body;
      const names = Object.fromEntries(
        (items as { id: string; name: string }[]).map((token) => [token.id, token.name]),
      );
      expect(names).toMatchObject(
        Object.fromEntries([first, rotated, replaced].map((token) => [token.id, 'Web shop'])),
      );
      expect(await auditOf(replaced.id as string)).toMatchObject([
        { action: 'token.issued', after: { name: 'Web shop' } },
      ]);
    });

    it('can be rotated with an overlap of 0, and without a body [tokens.rotate-overlap]', async () => {
      const { id } = await gateway.createPartner();
      const old = (await issue(id, { environment: 'live', scopes: ['checkout:create'] })).body;
      await gateway.manage('POST', `/admin/tokens/${old.id}/rotate`, { overlapSeconds: 0 });
      expect(await works(old.token as string)).toBe(false);
      const next = (await issue(id, { environment: 'live', scopes: ['checkout:create'] })).body;
      expect((await gateway.manage('POST', `/admin/tokens/${next.id}/rotate`)).status).toBe(201);
    });

    it.each([-1, 604_801, 1.5, '60', null])(
      'are not rotated with an overlap of %p [tokens.rotate-overlap, admin.token-rotate]',
      async (overlapSeconds) => {
        const { id } = await gateway.createPartner();
        const { body } = await issue(id, { environment: 'live', scopes: ['checkout:create'] });
        expect(await gateway.manage('POST', `/admin/tokens/${body.id}/rotate`, { overlapSeconds })).toMatchObject({
          status: 422,
          body: { errors: [{ field: 'overlapSeconds' }] },
        });
      },
    );

    it('get a successor and are revoked immediately when a manager reports them as leaked [admin.token-leaked]', async () => {
      const { id } = await gateway.createPartner();
      const { body: old } = await issue(id, { environment: 'live', scopes: ['sales:read'] });
      const { status, body: next } = await gateway.manage('POST', `/admin/tokens/${old.id}/leaked`);
      expect([status, next.scopes, next.environment]).toEqual([201, ['sales:read'], 'live']);
      const account = (token: string) => gateway.request('GET', '/api/v2/partner/account', { token });
      expect((await account(old.token as string)).status).toBe(401);
      expect((await account(next.token as string)).status).toBe(200);
      const { body } = await gateway.manage('GET', `/admin/audit?entityId=${old.id}&action=token.leaked`);
      expect(body.items).toMatchObject([
        {
          before: { revokedAt: null, replacedBy: null },
          after: { revokedAt: expect.any(String), replacedBy: next.id },
        },
      ]);
      const again = await gateway.manage('POST', `/admin/tokens/${old.id}/leaked`);
      expect(again).toMatchObject({ status: 409, body: { code: 'token_already_rotated' } });
      expect((await gateway.manage('POST', '/admin/tokens/tok_unknown/leaked')).status).toBe(404);
    });

    it('pass their lifetime to their successor, and keep their own expiry if the overlap ends later [tokens.rotate]', async () => {
      const { id } = await gateway.createPartner();
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const old = (await issue(id, { environment: 'live', scopes: ['checkout:create'], expiresAt })).body;
      const { body } = await gateway.manage('POST', `/admin/tokens/${old.id}/rotate`, {});
      expect(Date.parse(body.expiresAt as string) - Date.now()).toBeLessThanOrEqual(60_000);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/tokens`)).body;
      expect(items.find((item: { id: string }) => item.id === old.id).expiresAt).toBe(expiresAt);
    });

    it('have only one successor, even after three concurrent rotations [tokens.rotate]', async () => {
      const { id } = await gateway.createPartner();
      const { body } = await issue(id, { environment: 'live', scopes: ['checkout:create'] });
      const answers = await Promise.all(
        [1, 2, 3].map(() => gateway.manage('POST', `/admin/tokens/${body.id}/rotate`, {})),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('token_already_rotated');
    });

    it('can be revoked; a repeat changes nothing [tokens.revoke, admin.token-revoke, admin.audit-row, errors.unauthorized]', async () => {
      const { id } = await gateway.createPartner();
      const { body } = await issue(id, { environment: 'live', scopes: ['checkout:create'] });
      expect(await works(body.token as string)).toBe(true);
      const answers = [1, 2].map(() => gateway.manage('DELETE', `/admin/tokens/${body.id}`));
      for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 204, body: null });
      expect(await works(body.token as string)).toBe(false);
      expect((await auditOf(body.id as string)).map(({ action }) => action)).toEqual(['token.issued', 'token.revoked']);
      expect(await gateway.manage('POST', `/admin/tokens/${body.id}/rotate`, {})).toMatchObject({
        status: 409,
        body: { code: 'token_not_active' },
      });
    });
  });
});
