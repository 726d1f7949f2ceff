import { CreateVoucherGroup } from '@tandem/internal-api';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Gateway, type TestPartner } from './gateway';

const BODY = { name: 'A group', product: { name: 'Advanced', periodMonths: 12 }, currency: 'USD' };

describe('/admin/partners/{id}/voucher-groups', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner({ kind: 'voucher' });
  });
  afterAll(() => gateway.stop());

  const path = (id = partner.id) => `/admin/partners/${id}/voucher-groups`;
  const create = (body: unknown, id = partner.id) => gateway.manage('POST', path(id), body);
  const asked = () => gateway.vouchers.requests.at(-1);
  const audited = () =>
    gateway.database.query<{ action: string; entity_id: string; after: Record<string, unknown> }>(
      `select action, entity_id, after from partner.audit_entry where entity = 'voucher_group' order by seq`,
    );
  const view = (id: string) => ({
    ...BODY,
    id,
    partnerId: partner.id,
    environment: 'live',
    status: 'active',
    product: { ...BODY.product, tier: '' },
    stock: null,
    issued: 0,
    redeemed: 0,
    remaining: null,
    validFrom: '2026-01-01T00:00:00.000Z',
    validUntil: null,
    createdAt: '2026-01-01T00:00:00.000Z',
  });

  it('creates a group with the defaults, with an audit row before the creation and another after it [admin.voucher-groups]', async () => {
    const created = view('c9a3fd39-2f50-4c0e-8a2b-6de8f0a1b7d2');
    gateway.vouchers.answer(201, created);
    const before = (await audited()).length;
    expect(await create(BODY)).toMatchObject({ status: 201, body: created });
    const sent = asked()?.body as Record<string, unknown>;
    expect(asked()).toMatchObject({ method: 'POST', url: `/internal/partners/${partner.id}/voucher-groups` });
    expect(sent).toMatchObject({
      ...BODY,
      product: { ...BODY.product, tier: '' },
      environment: 'live',
      status: 'active',
      stock: null,
      validUntil: null,
    });
    expect(
      validateSync(plainToInstance(CreateVoucherGroup, sent), { forbidNonWhitelisted: true, whitelist: true }),
    ).toEqual([]);
    expect((await audited()).slice(before)).toEqual([
      { action: 'voucher_group.requested', entity_id: sent['id'], after: { ...sent, partnerId: partner.id } },
      { action: 'voucher_group.created', entity_id: created.id, after: created },
    ]);
  });

  it('adds the audit row of the request even when voucher-service does not answer', async () => {
    gateway.vouchers.breakOff();
    const before = (await audited()).length;
    expect(await create(BODY)).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect((await audited()).slice(before)).toMatchObject([{ action: 'voucher_group.requested' }]);
  });

  it('answers 201 to a creation and 200 to a change even if the second audit row cannot be written [admin.audit-row]', async () => {
    const group = view('c9a3fd39-2f50-4c0e-8a2b-6de8f0a1b7d3');
    const constraint = `add constraint no_second check (action <> all (array['voucher_group.created', 'voucher_group.changed'])) not valid`;
    await gateway.database.query(`alter table partner.audit_entry ${constraint}`);
    try {
      gateway.vouchers.answer(201, group);
      expect(await create(BODY)).toMatchObject({ status: 201, body: group });
      gateway.vouchers.answer(200, { before: {}, after: group });
      const change = gateway.manage('PATCH', `/admin/voucher-groups/${group.id}`, { status: 'active' });
      expect(await change).toMatchObject({ status: 200, body: group });
    } finally {
      await gateway.database.query('alter table partner.audit_entry drop constraint no_second');
    }
  });

  it('sends voucher-service every given field', async () => {
    gateway.vouchers.answer(201, view('c9a3fd39-2f50-4c0e-8a2b-6de8f0a1b7d2'));
    const wanted = {
      ...BODY,
      product: { name: 'Pro', tier: 'pro', periodMonths: 1 },
      environment: 'test',
      status: 'inactive',
      stock: 0,
      validFrom: '2026-02-01T00:00:00+01:00',
      validUntil: '2027-02-01T00:00:00Z',
    };
    await create(wanted);
    expect(asked()?.body).toMatchObject({
      ...wanted,
      validFrom: '2026-01-31T23:00:00.000Z',
      validUntil: '2027-02-01T00:00:00.000Z',
    });
  });

  it.each<[object, string]>([
    [{ name: '' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: 'a\ud800' }, 'name'],
    [{ product: { name: 'A', tier: '\udc00', periodMonths: 1 } }, 'product.tier'],
    [{ validFrom: '2026-W01-1T00:00:00Z' }, 'validFrom'],
    [{ validFrom: '2026-02-30T00:00:00Z' }, 'validFrom'],
    [{ product: null }, 'product'],
    [{ product: [] }, 'product'],
    [{ product: { periodMonths: 12 } }, 'product.name'],
    [{ product: { name: 'A', periodMonths: 1.5 } }, 'product.periodMonths'],
    [{ currency: 'Dollar' }, 'currency'],
    [{ currency: 'ZZZ' }, 'currency'],
    [{ environment: 'staging' }, 'environment'],
    [{ status: 'gone' }, 'status'],
    [{ stock: -1 }, 'stock'],
    [{ stock: '5' }, 'stock'],
    [{ validFrom: '2026-01-01' }, 'validFrom'],
    [{ validUntil: '2026-01-01T00:00:00' }, 'validUntil'],
    [{ validUntil: '2020-01-01T00:00:00Z' }, 'validUntil'],
  ])(
    'answers 422 to %j, without a call to voucher-service or an audit row [admin.voucher-groups]',
    async (change, field) => {
      const before = [gateway.vouchers.requests.length, (await audited()).length];
      const { status, body } = await create({ ...BODY, ...change });
      expect({ status, fields: body.errors?.map((problem: { field: string }) => problem.field) }).toEqual({
        status: 422,
        fields: expect.arrayContaining([expect.stringContaining(field)]),
      });
      expect([gateway.vouchers.requests.length, (await audited()).length]).toEqual(before);
    },
  );

  it('answers 404 for an unknown partner, and integration_kind_mismatch for a promotion partner', async () => {
    const promotion = await gateway.createPartner();
    expect(await create(BODY, 'ptn_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await create(BODY, promotion.id)).toMatchObject({ body: { code: 'integration_kind_mismatch' } });
    expect(await gateway.manage('GET', path('ptn_unknown'))).toMatchObject({ status: 404 });
  });

  describe('PATCH /admin/voucher-groups/{id}', () => {
    const ID = 'c9a3fd39-2f50-4c0e-8a2b-6de8f0a1b7d2';
    const change = (body: unknown, id = ID) => gateway.manage('PATCH', `/admin/voucher-groups/${id}`, body);

    it('changes status and stock, with an audit row before the change and another after it [admin.voucher-group-change]', async () => {
      const [before, after] = [view(ID), { ...view(ID), status: 'inactive' }];
      gateway.vouchers.answer(200, { before, after });
      const earlier = (await audited()).length;
      expect(await change({ status: 'inactive', stock: null, name: 'x' })).toMatchObject({ status: 200, body: after });
      expect(asked()).toMatchObject({
        method: 'PATCH',
        url: `/internal/voucher-groups/${ID}`,
        body: { status: 'inactive', stock: null },
      });
      expect((await audited()).slice(earlier)).toEqual([
        { action: 'voucher_group.change_requested', entity_id: ID, after: { status: 'inactive', stock: null } },
        { action: 'voucher_group.changed', entity_id: ID, after },
      ]);
    });

    it.each<[object, string]>([
      [{ status: null }, 'status'],
      [{ status: 'gone' }, 'status'],
      [{ stock: 1.5 }, 'stock'],
    ])('answers 422 to %j [admin.voucher-group-change]', async (body, field) => {
      expect(await change(body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    });

    it('relays the error with which voucher-service refuses a change [admin.voucher-group-change]', async () => {
      gateway.vouchers.answer(404, { code: 'voucher_group_not_found' });
      expect(await change({})).toMatchObject({ status: 404, body: { code: 'voucher_group_not_found' } });
      const errors = [{ field: 'stock', message: 'stock must be at least 7' }];
      gateway.vouchers.answer(422, { code: 'validation_failed', errors });
      expect(await change({ stock: 1 })).toMatchObject({ status: 422, body: { errors } });
    });

    it('answers 404 to a malformed id, without a call to voucher-service [admin.voucher-group-change]', async () => {
      const before = gateway.vouchers.requests.length;
      expect(await change({}, '%2e%2e')).toMatchObject({ status: 404 });
      for (const id of ['x', '%00'])
        expect(await change({}, id)).toMatchObject({ status: 404, body: { code: 'voucher_group_not_found' } });
      expect(gateway.vouchers.requests).toHaveLength(before);
    });

    it('is for managers only', async () => {
      const path = `/admin/voucher-groups/${ID}`;
      expect(await gateway.request('PATCH', path, { body: {} })).toMatchObject({ status: 401 });
      const token = await gateway.managerToken({ scope: 'support' });
      expect(await gateway.request('PATCH', path, { body: {}, token })).toMatchObject({ status: 403 });
    });
  });

  it('is for managers only [admin.voucher-groups]', async () => {
    const token = await gateway.managerToken({ scope: 'support' });
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? BODY : undefined;
      expect(await gateway.request(method, path(), { body })).toMatchObject({ status: 401 });
      expect(await gateway.request(method, path(), { body, token })).toMatchObject({ status: 403 });
    }
  });

  it('lists a partner’s groups page by page, with cursors that are valid only for this partner [admin.voucher-groups]', async () => {
    const ids = [1, 2, 3].map((digit) => `c9a3fd39-2f50-4c0e-8a2b-6de8f0a1b7d${digit}`);
    gateway.vouchers.answer(200, { items: ids.map((id, index) => ({ ...view(id), seq: String(30 - index) })) });
    const { status, body } = await gateway.manage('GET', `${path()}?limit=2`);
    expect(asked()?.url).toBe(`/internal/partners/${partner.id}/voucher-groups?limit=3`);
    expect({ status, ...body }).toEqual({
      status: 200,
      items: ids.slice(0, 2).map(view),
      nextCursor: expect.any(String),
      hasMore: true,
    });
    gateway.vouchers.answer(200, { items: [{ ...view(ids[2] as string), seq: '28' }] });
    const last = await gateway.manage('GET', `${path()}?limit=2&cursor=${body.nextCursor}`);
    expect(asked()?.url).toBe(`/internal/partners/${partner.id}/voucher-groups?before=29&limit=3`);
    expect(last.body).toMatchObject({ nextCursor: null, hasMore: false });
    const other = await gateway.createPartner({ kind: 'voucher' });
    expect(await gateway.manage('GET', `${path(other.id)}?cursor=${body.nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });
});
