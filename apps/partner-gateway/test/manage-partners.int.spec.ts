import { Gateway } from './gateway';

describe('the admin API', () => {
  let gateway: Gateway;
  const auditOf = (entityId: string) =>
    gateway.database.query(`select * from partner.audit_entry where entity_id = $1 order by seq`, [entityId]);

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  describe('access', () => {
    it('needs a valid token of the issuer with the scope partner:manage [admin.access]', async () => {
      const path = '/admin/partners';
      const anHourAgo = Math.floor(Date.now() / 1000) - 3600;
      const refused = [
        await gateway.request('GET', path),
        await gateway.request('GET', path, { token: 'abc' }),
        await gateway.request('GET', path, { token: await gateway.managerToken({ iss: 'https://other.example.com' }) }),
        await gateway.request('GET', path, { token: await gateway.managerToken({ exp: anHourAgo }) }),
      ];
      for (const answer of refused) {
        expect(answer).toMatchObject({
          status: 401,
          body: { code: 'unauthorized', detail: 'A valid bearer token is needed' },
        });
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
      ['GET', '/admin/partners/x/deactivation'],
      ['POST', '/admin/sales/decisions'],
      ['POST', '/admin/tokens/x/leaked'],
      ['GET', '/admin/partners/x/portal-links'],
      ['POST', '/admin/partners/x/portal-links'],
      ['DELETE', '/admin/portal-links/x'],
    ])(
      '%s %s answers 401 to a request without a token or with a partner token [interface.manager-issues, admin.access]',
      async (method, path) => {
        const { token } = await gateway.createPartner();
        const body = ['POST', 'PATCH'].includes(method) ? {} : undefined;
        expect((await gateway.request(method, path, { body })).status).toBe(401);
        expect((await gateway.request(method, path, { token, body })).status).toBe(401);
      },
    );
  });

  describe('partners', () => {
    it('are created with the defaults, and can be read [admin.partners]', async () => {
      const { status, body } = await gateway.manage('POST', '/admin/partners', { name: 'Shop', kind: 'promotion' });
      expect(status).toBe(201);
      expect(body).toEqual({
        id: expect.stringMatching(/^ptn_/),
        name: 'Shop',
        kind: 'promotion',
        active: true,
        contactEmail: null,
        revokeWindowDays: 30,
        endpointLimits: { concurrency: null },
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      });
      expect((await gateway.manage('GET', `/admin/partners/${body.id}`)).body).toEqual(body);
    });

    it('have a contact address that is stored encrypted, and masked in the audit trail [admin.partner-change, admin.audit-row]', async () => {
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

    it('change only in the given fields, and the audit row has old and new values [admin.partner-change, admin.audit-row]', async () => {
      const { id } = await gateway.createPartner();
      const changed = await gateway.manage('PATCH', `/admin/partners/${id}`, { active: false, revokeWindowDays: 7 });
      expect(changed).toMatchObject({ status: 200, body: { active: false, revokeWindowDays: 7, name: 'A partner' } });
      const entry = (await auditOf(id)).at(-1);
      expect(entry).toMatchObject({
        action: 'partner.changed',
        before: { active: true, revokeWindowDays: 30 },
        // After a restore from a backup, tools/backup changes the partner again from these values.
        after: { active: false, revokeWindowDays: 7, name: 'A partner', updatedAt: changed.body.updatedAt as unknown },
        request_id: changed.headers.get('x-request-id'),
      });
    });

    it.each<[object, string]>([
      [{ kind: 'promotion' }, 'name'],
      [{ name: ' ', kind: 'promotion' }, 'name'],
      [{ name: 'a\0b', kind: 'promotion' }, 'name'],
      [{ name: 'half a character: \ud83d', kind: 'promotion' }, 'name'],
      [{ name: 'A', kind: 'promotion', contactEmail: 'ü\ud83d@example.com' }, 'contactEmail'],
      [{ name: 'A', kind: 'both' }, 'kind'],
      [{ name: 'A', kind: 'promotion', revokeWindowDays: 91 }, 'revokeWindowDays'],
      [{ name: 'A', kind: 'promotion', revokeWindowDays: -1 }, 'revokeWindowDays'],
      [{ name: 'A', kind: 'promotion', revokeWindowDays: '30' }, 'revokeWindowDays'],
      [{ name: 'A', kind: 'promotion', contactEmail: 'nobody' }, 'contactEmail'],
      [{ name: 'A', kind: 'promotion', contactEmail: 'a@b..co' }, 'contactEmail'],
    ])('are not created from %j [revoke.window-of-partner, admin.partners]', async (body, field) => {
      expect(await gateway.manage('POST', '/admin/partners', body)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field }] },
      });
    });

    it('that do not exist cause 404 and no audit row, as do unknown tokens and promotions [errors.not-found]', async () => {
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

  describe('lists', () => {
    it('return all rows, newest first, page by page [admin.lists]', async () => {
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

    it('refuse a forged or changed cursor [admin.lists, errors.invalid-cursor]', async () => {
      await gateway.createPartner();
      await gateway.createPartner();
      const { nextCursor } = (await gateway.manage('GET', '/admin/partners?limit=1')).body;
      const madeUp = Buffer.from('partners:9223372036854775807').toString('base64url');
      const changed = `${nextCursor.slice(0, -1)}${nextCursor.endsWith('A') ? 'B' : 'A'}`;
      for (const cursor of [madeUp, changed]) {
        expect(await gateway.manage('GET', `/admin/partners?cursor=${cursor}`)).toMatchObject({
          status: 400,
          body: { code: 'invalid_cursor' },
        });
      }
    });

    it('refuse a cursor of another list, and a malformed cursor [admin.lists, errors.invalid-cursor]', async () => {
      const [one, other] = [await gateway.createPartner(), await gateway.createPartner()];
      const { nextCursor } = (await gateway.manage('GET', `/admin/partners/${one.id}/tokens?limit=1`)).body;
      for (const cursor of [nextCursor, 'garbage', '', 'a'.repeat(513), 'a'.repeat(10_000)]) {
        expect(await gateway.manage('GET', `/admin/partners/${other.id}/tokens?cursor=${cursor}`)).toMatchObject({
          status: 400,
          body: { code: 'invalid_cursor' },
        });
      }
    });

    it.each(['0', '201', 'x', '1.5', ''])('refuse the limit %p [admin.lists]', async (limit) => {
      expect(await gateway.manage('GET', `/admin/partners?limit=${limit}`)).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'limit' }] },
      });
    });

    it('show the actor and the action of each audit entry [admin.audit-list]', async () => {
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

  it('answers 503 while the public keys of the token issuer cannot be fetched', async () => {
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
