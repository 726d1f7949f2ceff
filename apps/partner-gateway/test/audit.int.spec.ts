import { Gateway } from './gateway';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly at: string;
}

describe('GET /admin/audit', () => {
  let gateway: Gateway;
  let partnerIds: string[];

  beforeAll(async () => {
    gateway = await Gateway.start();
    partnerIds = [];
    for (const sub of ['anna', 'ben']) {
      const token = await gateway.managerToken({ sub });
      const body = { name: 'A partner', kind: 'promotion' };
      const { body: partner } = await gateway.request('POST', '/admin/partners', { token, body });
      partnerIds.push(partner.id as string);
      const change = { token, body: { active: false } };
      await gateway.request('PATCH', `/admin/partners/${partner.id as string}`, change);
      await gateway.request('POST', `/admin/partners/${partner.id as string}/tokens`, {
        token,
        body: { environment: 'live' },
      });
    }
  });
  afterAll(() => gateway.stop());

  const list = async (query: Record<string, string>): Promise<Entry[]> => {
    const { status, body } = await gateway.manage('GET', `/admin/audit?${new URLSearchParams(query)}`);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.items as Entry[];
  };
  const actionsOf = async (query: Record<string, string>) => (await list(query)).map(({ action }) => action);

  it('lists the actions of one manager, newest first [admin.audit-filters]', async () => {
    expect(await actionsOf({ actor: 'ben' })).toEqual(['token.issued', 'partner.changed', 'partner.created']);
    expect(await actionsOf({ actor: 'nobody' })).toEqual([]);
  });

  it('filters by the id of an entity and by the kind of entities [admin.audit-filters]', async () => {
    expect(await actionsOf({ entityId: String(partnerIds[0]) })).toEqual(['partner.changed', 'partner.created']);
    expect(await actionsOf({ entityId: String(partnerIds[0]), action: 'partner.created' })).toEqual([
      'partner.created',
    ]);
    expect(await actionsOf({ entity: 'partner_token', actor: 'anna' })).toEqual(['token.issued']);
  });

  it('lists the actions on a partner, its tokens, promotions and portal links, even after the links were deleted [admin.audit-filters]', async () => {
    const [anna, ben] = partnerIds.map((id) => `/admin/partners/${id}`) as [string, string];
    await gateway.manage('PATCH', anna, { active: true });
    await gateway.manage('POST', `${anna}/promotions`, { code: 'AUDITED', percentOff: 10 });
    await gateway.manage('POST', `${anna}/portal-links`, { environment: 'live' });
    await gateway.manage('POST', `${ben}/portal-links`, { environment: 'live' });
    const actions = ['portal_link.created', 'promotion.created', 'partner.changed', 'token.issued'];
    const whole = [...actions, 'partner.changed', 'partner.created'];
    expect(await actionsOf({ partnerId: String(partnerIds[0]) })).toEqual(whole);
    await gateway.database.query('delete from partner.portal_link');
    expect(await actionsOf({ partnerId: String(partnerIds[0]) })).toEqual(whole);
    expect(await actionsOf({ partnerId: String(partnerIds[0]), entity: 'promotion' })).toEqual(['promotion.created']);
    expect(await actionsOf({ partnerId: 'ptn_unknown' })).toEqual([]);
    const both = new URLSearchParams({ partnerId: String(partnerIds[0]), entityId: String(partnerIds[0]) });
    expect(await gateway.manage('GET', `/admin/audit?${both}`)).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'partnerId' }] },
    });
  });

  it('returns the current name of the partner that an action is about [admin.audit-filters]', async () => {
    const named = await gateway.createPartner();
    await gateway.manage('PATCH', `/admin/partners/${named.id}`, { name: 'Shop with a new name' });
    await gateway.manage('POST', `/admin/partners/${named.id}/portal-links`, { environment: 'live' });
    const [newest] = await list({ entity: 'portal_link' });
    expect(newest).toMatchObject({ action: 'portal_link.created', partnerName: 'Shop with a new name' });
    const ofPartner = (await list({ partnerId: named.id })) as (Entry & { partnerName: string | null })[];
    expect(new Set(ofPartner.map(({ partnerName }) => partnerName))).toEqual(new Set(['Shop with a new name']));
    await gateway.manage('POST', '/admin/partners/publish');
    const [published] = await list({ action: 'partner.published' });
    expect(published).toMatchObject({ entityId: '*', partnerName: null });
  });

  it('filters by time: `from` is inclusive, `to` is exclusive [admin.audit-filters]', async () => {
    const all = await list({});
    const [newest, , middle] = all as [Entry, Entry, Entry];
    const since = await list({ from: middle.at });
    expect(since.map(({ id }) => id)).toEqual(all.filter(({ at }) => at >= middle.at).map(({ id }) => id));
    const before = await list({ to: newest.at });
    expect(before.map(({ id }) => id)).toEqual(all.filter(({ at }) => at < newest.at).map(({ id }) => id));
  });

  it('accepts a cursor only with the filters for which it was issued [admin.audit-filters]', async () => {
    const first = await gateway.manage('GET', '/admin/audit?actor=anna&limit=2');
    const cursor = String(first.body.nextCursor);
    expect(await actionsOf({ actor: 'anna', limit: '2', cursor })).toEqual(['partner.created']);
    for (const query of [`actor=ben&cursor=${cursor}`, `cursor=${cursor}`]) {
      expect(await gateway.manage('GET', `/admin/audit?${query}`)).toMatchObject({
        status: 400,
        body: { code: 'invalid_cursor' },
      });
    }
  });

  it.each([
    ['from=yesterday', 'from'],
    ['entity=cat', 'entity'],
    ['actor=', 'actor'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
  ])('refuses the query ?%s', async (query, field) => {
    expect(await gateway.manage('GET', `/admin/audit?${query}`)).toMatchObject({
      status: 422,
      body: { errors: [{ field }] },
    });
  });
});
