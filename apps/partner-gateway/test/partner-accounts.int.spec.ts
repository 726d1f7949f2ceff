import { uniqueId } from '@tandem/testing';
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

  describe('access', () => {
    it('is for service tokens with partner:manage', async () => {
      const path = '/admin/partners';
      const soon = Math.floor(Date.now() / 1000) - 3600;
      const refused = [
        await gateway.request('GET', path),
        await gateway.request('GET', path, { token: 'abc' }),
        await gateway.request('GET', path, { token: await gateway.managerToken({ iss: 'https://other.example.com' }) }),
        await gateway.request('GET', path, { token: await gateway.managerToken({ exp: soon }) }),
      ];
      for (const answer of refused) {
        expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      }
      const token = await gateway.managerToken({ scope: 'support payments' });
      expect(await gateway.request('GET', path, { token })).toMatchObject({
        status: 403,
        body: { code: 'permission_denied' },
      });
      expect((await gateway.manage('GET', path)).status).toBe(200);
    });

    it.each([
      ['GET', '/admin/partners'],
      ['POST', '/admin/partners'],
      ['GET', '/admin/partners/x'],
      ['PATCH', '/admin/partners/x'],
      ['GET', '/admin/partners/x/tokens'],
      ['POST', '/admin/partners/x/tokens'],
      ['GET', '/admin/partners/x/promotions'],
      ['POST', '/admin/partners/x/promotions'],
      ['PATCH', '/admin/promotions/x'],
      ['POST', '/admin/tokens/x/rotate'],
      ['DELETE', '/admin/tokens/x'],
      ['GET', '/admin/sales'],
      ['POST', '/admin/sales/x/release'],
      ['POST', '/admin/sales/x/refuse'],
      ['GET', '/admin/audit'],
    ])('%s %s answers 401 without a token, and to a partner token', async (method, path) => {
      const { token } = await gateway.createPartner();
      const body = ['POST', 'PATCH'].includes(method) ? {} : undefined;
      expect((await gateway.request(method, path, { body })).status).toBe(401);
      expect((await gateway.request(method, path, { token, body })).status).toBe(401);
    });
  });

  describe('partners', () => {
    it('are created with the defaults, and read again', async () => {
      const { status, body } = await gateway.manage('POST', '/admin/partners', { name: 'Shop', kind: 'promotion' });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^ptn_/),
        name: 'Shop',
        kind: 'promotion',
        active: true,
        contactEmail: null,
        revokeWindowDays: 30,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      });
      expect((await gateway.manage('GET', `/admin/partners/${body.id}`)).body).toEqual(body);
    });

    it('keep their contact encrypted, and masked in the audit', async () => {
      const contactEmail = 'Jane.Doe@example.com';
      const { body } = await gateway.manage('POST', '/admin/partners', { name: 'A', kind: 'voucher', contactEmail });
      expect(body.contactEmail).toBe(contactEmail);
      const [row] = await gateway.database.query(`select * from partner.partner where id = $1`, [body.id]);
      expect(JSON.stringify(row)).not.toMatch(/jane/i);
      const [entry] = await auditOf(body.id as string);
      expect(entry).toMatchObject({
        actor: 'manager-1',
        action: 'partner.created',
        entity: 'partner',
        before: null,
        after: { contactEmail: 'J***e@example.com' },
      });
      await gateway.manage('PATCH', `/admin/partners/${body.id}`, { contactEmail: null });
      expect((await gateway.manage('GET', `/admin/partners/${body.id}`)).body.contactEmail).toBeNull();
    });

    it('change by the fields that are given, with an audit row that tells before and after', async () => {
      const { id } = await gateway.createPartner();
      const changed = await gateway.manage('PATCH', `/admin/partners/${id}`, { active: false, revokeWindowDays: 7 });
      expect(changed).toMatchObject({ status: 200, body: { active: false, revokeWindowDays: 7, name: 'A partner' } });
      const entry = (await auditOf(id)).at(-1);
      expect(entry).toMatchObject({
        action: 'partner.changed',
        before: { active: true, revokeWindowDays: 30 },
        after: { active: false, revokeWindowDays: 7 },
        request_id: changed.headers.get('x-request-id'),
      });
    });

    it.each<[object, string]>([
      [{ kind: 'promotion' }, 'name'],
      [{ name: ' ', kind: 'promotion' }, 'name'],
      [{ name: 'a\0b', kind: 'promotion' }, 'name'],
      [{ name: 'A', kind: 'both' }, 'kind'],
      [{ name: 'A', kind: 'promotion', revokeWindowDays: 91 }, 'revokeWindowDays'],
      [{ name: 'A', kind: 'promotion', revokeWindowDays: -1 }, 'revokeWindowDays'],
      [{ name: 'A', kind: 'promotion', revokeWindowDays: '30' }, 'revokeWindowDays'],
      [{ name: 'A', kind: 'promotion', contactEmail: 'nobody' }, 'contactEmail'],
    ])('refuse %j', async (body, field) => {
      expect(await gateway.manage('POST', '/admin/partners', body)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field }] },
      });
    });

    it('that are unknown are 404, and leave no audit row', async () => {
      for (const [method, path, body] of [
        ['GET', '/admin/partners/none', undefined],
        ['GET', '/admin/partners/%00', undefined],
        ['DELETE', '/admin/tokens/%00', undefined],
        ['PATCH', '/admin/partners/none', { active: true }],
        ['GET', '/admin/partners/none/tokens', undefined],
        ['POST', '/admin/partners/none/tokens', { environment: 'live', scopes: ['postback:read'] }],
        ['GET', '/admin/partners/none/promotions', undefined],
        ['POST', '/admin/partners/none/promotions', { code: 'X', percentOff: 1 }],
        ['PATCH', '/admin/promotions/none', { active: true }],
        ['POST', '/admin/tokens/none/rotate', {}],
        ['DELETE', '/admin/tokens/none', undefined],
      ] as const) {
        expect(await gateway.manage(method, path, body)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
      expect(await auditOf('none')).toEqual([]);
    });
  });

  describe('tokens', () => {
    const issue = (id: string, body: object) => gateway.manage('POST', `/admin/partners/${id}/tokens`, body);
    const works = async (token: string) => (await gateway.request('GET', CHECKOUT, { token })).status === 200;

    it('are shown once, and kept as a hash', async () => {
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
      [{ environment: 'live' }, 'scopes'],
      [{ environment: 'live', scopes: [] }, 'scopes'],
      [{ environment: 'live', scopes: ['all'] }, 'scopes'],
      [{ environment: 'live', scopes: ['postback:read', 'postback:read'] }, 'scopes'],
      [{ environment: 'live', scopes: ['postback:read'], expiresAt: 'soon' }, 'expiresAt'],
      [{ environment: 'live', scopes: ['postback:read'], expiresAt: '2030-01-01T00:00:00' }, 'expiresAt'],
    ])('refuse %j', async (body, field) => {
      const { id } = await gateway.createPartner();
      expect(await issue(id, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    });

    it('are rotated: both work in the overlap, then only the new one', async () => {
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

    it('are rotated without an overlap, or without a body', async () => {
      const { id } = await gateway.createPartner();
      const old = (await issue(id, { environment: 'live', scopes: ['checkout:create'] })).body;
      await gateway.manage('POST', `/admin/tokens/${old.id}/rotate`, { overlapSeconds: 0 });
      expect(await works(old.token as string)).toBe(false);
      const next = (await issue(id, { environment: 'live', scopes: ['checkout:create'] })).body;
      expect((await gateway.manage('POST', `/admin/tokens/${next.id}/rotate`)).status).toBe(201);
    });

    it.each([-1, 604_801, 1.5, '60', null])('refuse an overlap of %p', async (overlapSeconds) => {
      const { id } = await gateway.createPartner();
      const { body } = await issue(id, { environment: 'live', scopes: ['checkout:create'] });
      expect(await gateway.manage('POST', `/admin/tokens/${body.id}/rotate`, { overlapSeconds })).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'overlapSeconds' }] },
      });
    });

    it('keep their life span when rotated, and never live longer by it', async () => {
      const { id } = await gateway.createPartner();
      const expiresAt = new Date(Date.now() + 60_000).toISOString();
      const old = (await issue(id, { environment: 'live', scopes: ['checkout:create'], expiresAt })).body;
      const { body } = await gateway.manage('POST', `/admin/tokens/${old.id}/rotate`, {});
      expect(Date.parse(body.expiresAt as string) - Date.now()).toBeLessThanOrEqual(60_000);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/tokens`)).body;
      expect(items.find((item: { id: string }) => item.id === old.id).expiresAt).toBe(expiresAt);
    });

    it('have one successor, also when two rotations come at once', async () => {
      const { id } = await gateway.createPartner();
      const { body } = await issue(id, { environment: 'live', scopes: ['checkout:create'] });
      const answers = await Promise.all(
        [1, 2, 3].map(() => gateway.manage('POST', `/admin/tokens/${body.id}/rotate`, {})),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('token_already_rotated');
    });

    it('end at once when revoked, and a repeat changes nothing', async () => {
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

  describe('promotions', () => {
    const create = (id: string, body: object) => gateway.manage('POST', `/admin/partners/${id}/promotions`, body);

    it('are one at a time: a new one takes the place of the one before', async () => {
      const { id, promotionId } = await gateway.createPartner();
      const { status, body } = await create(id, { code: uniqueId('NEW'), percentOff: 35 });
      expect(status).toBe(201);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body;
      expect(items.map((item: { id: string; active: boolean }) => [item.id, item.active])).toEqual([
        [body.id, true],
        [promotionId, false],
      ]);
      expect((await auditOf(promotionId)).map(({ action }) => action)).toEqual([
        'promotion.created',
        'promotion.changed',
      ]);
      await gateway.manage('PATCH', `/admin/promotions/${promotionId}`, { active: true });
      const again = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body.items;
      expect(again.map((item: { active: boolean }) => item.active)).toEqual([false, true]);
    });

    it('stay one when many are created at once', async () => {
      const { id } = await gateway.createPartner();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => create(id, { code: uniqueId('MANY'), percentOff: 10 })),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body;
      expect(items.filter((item: { active: boolean }) => item.active)).toHaveLength(1);
    });

    it('have a code of their own, and one that is taken changes nothing', async () => {
      const taken = await gateway.createPartner();
      const { id, promotionId } = await gateway.createPartner();
      expect(await create(id, { code: taken.promotionCode.toLowerCase(), percentOff: 5 })).toMatchObject({
        status: 409,
        body: { code: 'promotion_code_taken' },
      });
      const { items } = (await gateway.manage('GET', `/admin/partners/${id}/promotions`)).body;
      expect(items).toMatchObject([{ id: promotionId, active: true }]);
      expect(await auditOf(promotionId)).toHaveLength(1);
    });

    it.each<[object, string]>([
      [{ percentOff: 5 }, 'code'],
      [{ code: 'a b', percentOff: 5 }, 'code'],
      [{ code: 'A', percentOff: 0 }, 'percentOff'],
      [{ code: 'A', percentOff: 101 }, 'percentOff'],
      [{ code: 'A', percentOff: 2.5 }, 'percentOff'],
      [{ code: 'A', percentOff: 5, active: 'yes' }, 'active'],
    ])('refuse %j', async (body, field) => {
      const { id } = await gateway.createPartner();
      expect(await create(id, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    });

    it('are not for voucher partners', async () => {
      const { id } = await gateway.createPartner({ kind: 'voucher' });
      expect(await create(id, { code: uniqueId('V'), percentOff: 5 })).toMatchObject({
        status: 403,
        body: { code: 'integration_kind_mismatch' },
      });
    });
  });

  describe('lists', () => {
    it('go through all rows, newest first, page by page', async () => {
      const { id } = await gateway.createPartner();
      for (let index = 0; index < 3; index += 1) await gateway.issueToken(id);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `&cursor=${cursor}`;
        const { body } = await gateway.manage('GET', `/admin/partners/${id}/tokens?limit=2${query}`);
        expect(body.hasMore).toBe(body.nextCursor !== null);
        seen.push(...body.items.map((item: { createdAt: string }) => item.createdAt));
        cursor = body.nextCursor;
      } while (cursor !== null);
      expect(seen).toHaveLength(5);
      expect(seen).toEqual([...seen].sort().reverse());
    });

    it('refuse a cursor of another list, and one that is not ours', async () => {
      const [one, other] = [await gateway.createPartner(), await gateway.createPartner()];
      const { nextCursor } = (await gateway.manage('GET', `/admin/partners/${one.id}/tokens?limit=1`)).body;
      for (const cursor of [nextCursor, 'garbage', '']) {
        expect(await gateway.manage('GET', `/admin/partners/${other.id}/tokens?cursor=${cursor}`)).toMatchObject({
          status: 400,
          body: { code: 'invalid_cursor' },
        });
      }
    });

    it.each(['0', '201', 'x', '1.5', ''])('refuse the limit %p', async (limit) => {
      expect(await gateway.manage('GET', `/admin/partners?limit=${limit}`)).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'limit' }] },
      });
    });

    it('of the audit show who did what', async () => {
      const token = await gateway.managerToken({ sub: 'krn:manager' });
      const { body } = await gateway.request('POST', '/admin/partners', {
        token,
        body: { name: 'A', kind: 'promotion' },
      });
      const audit = await gateway.manage('GET', '/admin/audit?limit=1');
      expect(audit.body.items).toMatchObject([
        { id: expect.any(String), actor: 'krn:manager', action: 'partner.created', entityId: body.id, before: null },
      ]);
    });
  });

  it('answers 503 while the keys of the issuer cannot be read', async () => {
    const alone = await Gateway.start({ JWT_SERVICE_JWKS_URL: 'http://127.0.0.1:1/jwks.json' });
    try {
      expect(await alone.manage('GET', '/admin/partners')).toMatchObject({
        status: 503,
        body: { code: 'service_unavailable' },
      });
    } finally {
      await alone.stop();
    }
  });
});
