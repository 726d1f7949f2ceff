import { PARTNER_CHANGED, type PartnerChanged } from '@tandem/contracts';
import { uniqueId } from '@tandem/testing';
import { Gateway } from './gateway';

describe('partner.changed', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());

  const published = (id: string) => gateway.published<PartnerChanged>(PARTNER_CHANGED.topic, id);
  const create = async (change: object = {}): Promise<string> => {
    const body = { name: 'My shop', kind: 'promotion', contactEmail: 'owner@example.com', ...change };
    return (await gateway.manage('POST', '/admin/partners', body)).body.id as string;
  };
  const change = (id: string, body: object) => gateway.manage('PATCH', `/admin/partners/${id}`, body);

  it('is published when a partner is created, without contact data [events.partner-changed]', async () => {
    const id = await create();
    const { body } = await gateway.manage('GET', `/admin/partners/${id}`);
    const expected = { partnerId: id, name: 'My shop', kind: 'promotion', active: true, changedAt: body.createdAt };
    expect(await published(id)).toEqual([expected]);
  });

  it('is published in order when a partner is renamed, deactivated and activated [events.partner-changed]', async () => {
    const id = await create({ kind: 'voucher' });
    await change(id, { name: 'Our shop' });
    await change(id, { active: false });
    await change(id, { active: true, revokeWindowDays: 10 });
    expect((await published(id)).map(({ name, active }) => [name, active])).toEqual([
      ['My shop', true],
      ['Our shop', true],
      ['Our shop', false],
      ['Our shop', true],
    ]);
  });

  it('is not published when no field that it contains changes [events.partner-changed]', async () => {
    const id = await create();
    await change(id, { contactEmail: null, revokeWindowDays: 10, name: 'My shop', active: true });
    expect(await published(id)).toHaveLength(1);
  });

  it('is not published when the change of the partner fails [events.partner-changed]', async () => {
    const id = await create();
    await gateway.database.query(`alter table partner.partner add constraint failing check (name <> 'Failing')`);
    expect((await change(id, { name: 'Failing' })).status).toBe(500);
    await gateway.database.query('alter table partner.partner drop constraint failing');
    expect(await published(id)).toHaveLength(1);
  });

  it('is published again for every partner when a manager requests it [admin.partners-published, admin.audit-row]', async () => {
    const id = await create();
    const name = uniqueId('Old');
    await gateway.database.query(
      `insert into partner.partner (id, name, kind, active, revoke_window_days, endpoint_limits_revision, created_at, updated_at)
       select $1 || lpad(n::text, 4, '0'), $1, 'voucher', n > 1, 30, 0, now(), now() from generate_series(1, 1001) n`,
      [name],
    );
    const [row] = await gateway.database.query<{ all: number }>('select count(*)::int as all from partner.partner');
    const { status, body } = await gateway.manage('POST', '/admin/partners/publish');
    expect({ status, body }).toEqual({ status: 200, body: { published: row?.all } });
    const [first, again] = await published(id);
    expect(again).toEqual(first);
    for (const n of [1, 2, 500, 1001]) {
      expect(await published(`${name}${String(n).padStart(4, '0')}`)).toMatchObject([
        { name, kind: 'voucher', active: n > 1 },
      ]);
    }
    const { items } = (await gateway.manage('GET', '/admin/audit?action=partner.published')).body;
    expect(items).toMatchObject([{ entity: 'partner', entityId: '*', after: { published: row?.all } }]);
  });

  it('can be published again only by a manager [admin.access]', async () => {
    expect(await gateway.request('POST', '/admin/partners/publish')).toMatchObject({ status: 401 });
    const token = await gateway.managerToken({ scope: 'support' });
    expect(await gateway.request('POST', '/admin/partners/publish', { token })).toMatchObject({ status: 403 });
  });
});
