import {
  type CreateVoucherGroup,
  ManagedVoucherGroupList,
  managedVoucherGroupPath,
  managedVoucherGroupsPath,
  ManagedVoucherGroupView,
  VoucherGroupChange,
  VoucherGroupList,
  voucherGroupsPath,
} from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { fits, groupOf, purchase, serviceToken, Vouchers } from './vouchers';

describe('voucher groups', () => {
  let vouchers: Vouchers;
  let partnerId: string;

  beforeAll(async () => {
    vouchers = await Vouchers.start();
  });
  afterAll(() => vouchers.stop());
  beforeEach(() => {
    partnerId = uniqueId('ptn');
  });

  const active = (environment = 'live') => vouchers.request('GET', voucherGroupsPath(partnerId, environment));
  const managed = (query = '') => vouchers.request('GET', managedVoucherGroupsPath(partnerId) + query);
  const create = (wanted: object) => vouchers.request('POST', managedVoucherGroupsPath(partnerId), wanted);
  const idsOf = (items: { id: string }[]): string[] => items.map(({ id }) => id);

  it('are listed for their partner, newest first, if they are active and have not expired [interface.voucher-group, vouchers.groups-active, vouchers.test-data]', async () => {
    const first = await vouchers.createGroup({ partnerId });
    const upcoming = await vouchers.createGroup({ partnerId, validFrom: '2099-01-01T00:00:00.000Z' });
    await vouchers.createGroup({ partnerId, status: 'inactive' });
    await vouchers.createGroup({ partnerId, validUntil: '2026-01-02T00:00:00.000Z' });
    await vouchers.createGroup({ partnerId, environment: 'test' });
    await vouchers.createGroup();
    const { status, body } = await active();
    expect(status).toBe(200);
    expect(fits(VoucherGroupList, body)).toBe(true);
    expect(idsOf(body.items)).toEqual([upcoming.id, first.id]);
  });

  it('count the created, redeemed and remaining coupons [vouchers.group]', async () => {
    const group = await vouchers.createGroup({ partnerId, stock: 10 });
    const { body } = await vouchers.create(group, { count: 4 });
    await vouchers.receive(purchase(body.items[0].code));
    expect((await active()).body.items).toMatchObject([{ issued: 4, redeemed: 1, remaining: 6 }]);
  });

  it('are listed for managers in pages, in every status and both environments, newest first', async () => {
    const ids: string[] = [];
    for (const change of [{}, { status: 'inactive' as const }, { environment: 'test' as const }]) {
      ids.unshift((await vouchers.createGroup({ partnerId, ...change })).id);
    }
    const { body } = await managed('?limit=2');
    expect(fits(ManagedVoucherGroupList, body)).toBe(true);
    expect(idsOf(body.items)).toEqual(ids.slice(0, 2));
    const rest = await managed(`?limit=2&before=${body.items[1].seq}`);
    expect(idsOf(rest.body.items)).toEqual(ids.slice(2));
  });

  it('are created with the given fields [admin.voucher-groups]', async () => {
    const wanted = groupOf({ stock: 0, validUntil: '2027-01-01T00:00:00.000Z', environment: 'test' });
    const { status, body } = await create(wanted);
    expect(status).toBe(201);
    expect(fits(ManagedVoucherGroupView, body)).toBe(true);
    expect(body).toMatchObject({ ...wanted, partnerId, issued: 0, redeemed: 0, remaining: 0 });
    expect((await active('test')).body.items).toEqual([
      expect.objectContaining({ id: wanted.id, remaining: 0, validUntil: wanted.validUntil }),
    ]);
  });

  it('are created once by two concurrent requests with the same id', async () => {
    const wanted = groupOf();
    const [one, two] = await Promise.all([create(wanted), create(wanted)]);
    expect(one).toMatchObject({ status: 201 });
    expect(two.body).toEqual(one.body);
    expect((await active()).body.items).toHaveLength(1);
  });

  it("cannot be created with the id of another partner's group", async () => {
    const { id } = await vouchers.createGroup();
    expect(await create(groupOf({ id }))).toMatchObject({ status: 422, body: { errors: [{ field: 'id' }] } });
    expect((await active()).body.items).toEqual([]);
  });

  it.each<[Partial<Record<keyof CreateVoucherGroup, unknown>>, string]>([
    [{ id: 'x' }, 'id'],
    [{ environment: 'staging' }, 'environment'],
    [{ name: '' }, 'name'],
    [{ name: 'a\0b' }, 'name'],
    [{ status: 'gone' }, 'status'],
    [{ product: null }, 'product'],
    [{ product: { name: 'A', tier: '', periodMonths: 0 } }, 'product.periodMonths'],
    [{ currency: 'usd' }, 'currency'],
    [{ stock: -1 }, 'stock'],
    [{ stock: 1.5 }, 'stock'],
    [{ validFrom: 'today' }, 'validFrom'],
    [{ validUntil: '2026-01-01T00:00:00.000Z' }, 'validUntil'],
  ])('cannot be created with %j', async (change, field) => {
    expect(await create({ ...groupOf(), ...change })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field }] },
    });
    expect((await managed()).body.items).toEqual([]);
  });

  it('cannot be listed for a partner id that contains U+0000: the answer is 404', async () => {
    const answer = await vouchers.request('GET', managedVoucherGroupsPath('a\0'));
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  describe('when a manager changes them', () => {
    const change = (id: string, body: object, token?: string | null) =>
      vouchers.request('PATCH', managedVoucherGroupPath(id), body, token);

    it('get the given status and stock, and the answer contains the group before and after the change', async () => {
      const { id } = await vouchers.createGroup({ partnerId, stock: 10 });
      const { status, body } = await change(id, { status: 'inactive', stock: 20 });
      expect(status).toBe(200);
      expect(fits(VoucherGroupChange, body)).toBe(true);
      expect(body.before).toMatchObject({ id, partnerId, status: 'active', stock: 10, remaining: 10 });
      expect(body.after).toEqual({ ...body.before, status: 'inactive', stock: 20, remaining: 20 });
      expect((await active()).body.items).toEqual([]);
      expect((await change(id, { status: 'active', stock: null })).body.after).toMatchObject({ stock: null });
      expect((await active()).body.items).toMatchObject([{ id, remaining: null }]);
    });

    it('keep the fields that the request omits', async () => {
      const { id } = await vouchers.createGroup({ partnerId, stock: 10 });
      const { body } = await change(id, {});
      expect(body.after).toEqual(body.before);
      expect((await change(id, { status: 'inactive' })).body.after).toMatchObject({ stock: 10 });
      expect((await change(id, { stock: 11 })).body.after).toMatchObject({ status: 'inactive', stock: 11 });
    });

    it('cannot get a stock below the number of issued coupons, including coupons that are issued concurrently', async () => {
      const group = await vouchers.createGroup({ partnerId, stock: 10 });
      const answers = await vouchers.whileGroupIsLocked(group.id, async () => {
        const creation = vouchers.create(group, { count: 6 });
        await vouchers.waiting(1);
        const refused = change(group.id, { stock: 5 });
        await vouchers.waiting(2);
        return { creation, refused };
      });
      expect(await answers.creation).toMatchObject({ status: 201 });
      expect(await answers.refused).toMatchObject({ status: 422, body: { errors: [{ field: 'stock' }] } });
      expect((await change(group.id, { stock: 6 })).body.after).toMatchObject({ stock: 6, remaining: 0 });
    });

    it.each<[object, string]>([
      [{ status: 'gone' }, 'status'],
      [{ status: null }, 'status'],
      [{ stock: -1 }, 'stock'],
      [{ stock: '5' }, 'stock'],
    ])('cannot be changed with %j', async (body, field) => {
      const { id } = await vouchers.createGroup({ partnerId });
      expect(await change(id, body)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    });

    it('cause 404 if they do not exist, and 401 if the request has no service token', async () => {
      for (const id of ['00000000-0000-4000-8000-000000000000', 'x']) {
        expect(await change(id, {})).toMatchObject({ status: 404, body: { code: 'voucher_group_not_found' } });
      }
      const { id } = await vouchers.createGroup();
      expect(await change(id, { status: 'inactive' }, null)).toMatchObject({ status: 401 });
    });
  });

  it('are available only with a service token for this app', async () => {
    for (const path of [voucherGroupsPath(partnerId, 'live'), managedVoucherGroupsPath(partnerId)]) {
      for (const token of [null, serviceToken('other')]) {
        expect(await vouchers.request('GET', path, undefined, token)).toMatchObject({ status: 401 });
      }
    }
    expect(await vouchers.request('POST', managedVoucherGroupsPath(partnerId), groupOf(), null)).toMatchObject({
      status: 401,
    });
  });
});
