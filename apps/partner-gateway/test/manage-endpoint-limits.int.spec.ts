import { Gateway } from './gateway';

describe('PATCH /admin/partners/{id} with endpointLimits', () => {
  let gateway: Gateway;
  let id: string;
  let revision = 0;

  beforeAll(async () => {
    gateway = await Gateway.start({ POSTBACK_DISPATCHER_TIMEOUT_MS: '300' });
  });
  beforeEach(async () => {
    ({ id } = await gateway.createPartner());
    gateway.dispatcher.requests.length = 0;
  });
  afterAll(() => gateway.stop());

  const change = (body: unknown, partnerId = id) => gateway.manage('PATCH', `/admin/partners/${partnerId}`, body);
  const limit = (concurrency: unknown) => change({ endpointLimits: { concurrency } });
  const agree = (concurrency: number | null, at = ++revision) =>
    gateway.dispatcher.answer(200, { concurrency, revision: at });
  const read = async () => (await gateway.manage('GET', `/admin/partners/${id}`)).body;
  const asked = () => gateway.dispatcher.requests.map(({ method, url, body }) => ({ method, url, body }));
  /** Returns the partner's audit rows, without the row of the partner's creation. */
  const acts = async () =>
    (
      await gateway.database.query<{ action: string }>(
        `select action, before, after, request_id from partner.audit_entry where entity_id = $1 order by seq`,
        [id],
      )
    ).slice(1);

  it('changes the limit together with other fields, with an audit row before the change and another after it [admin.endpoint-limits]', async () => {
    agree(5);
    const answer = await change({ name: 'Renamed', endpointLimits: { concurrency: 5 } });
    expect(answer).toMatchObject({ status: 200, body: { name: 'Renamed', endpointLimits: { concurrency: 5 } } });
    expect(asked()).toEqual([
      { method: 'PUT', url: `/internal/partners/${id}/endpoint-limits`, body: { concurrency: 5 } },
    ]);
    expect(await read()).toEqual(answer.body);
    const { items } = (await gateway.manage('GET', '/admin/partners?limit=1')).body;
    expect(items).toEqual([answer.body]);
    const request_id = answer.headers.get('x-request-id');
    expect(await acts()).toMatchObject([
      { action: 'partner.change_requested', after: { endpointLimits: { concurrency: 5 } }, request_id },
      {
        action: 'partner.changed',
        before: { name: 'A partner', endpointLimits: { concurrency: null } },
        after: { name: 'Renamed', endpointLimits: { concurrency: 5 } },
        request_id,
      },
    ]);
  });

  it('resets the limit to the default when the request has null, and keeps the limit when the request omits it [admin.endpoint-limits]', async () => {
    agree(1000);
    await limit(1000);
    expect((await change({ active: false })).body).toMatchObject({ endpointLimits: { concurrency: 1000 } });
    expect(asked()).toHaveLength(1);
    agree(null);
    expect(await limit(null)).toMatchObject({ status: 200, body: { endpointLimits: { concurrency: null } } });
    expect(asked().at(-1)).toMatchObject({ body: { concurrency: null } });
  });

  it('calls postback-dispatcher even when the limit seems unchanged [admin.endpoint-limits]', async () => {
    agree(5);
    const first = await limit(5);
    agree(5);
    expect((await limit(5)).body).toEqual({ ...first.body, updatedAt: expect.any(String) });
    expect(asked()).toHaveLength(2);
    agree(null);
    await limit(null);
    expect(asked()).toHaveLength(3);
  });

  it('keeps the limit of a later change when the answer to an earlier change arrives last', async () => {
    const earlier = ++revision;
    agree(7);
    await limit(7);
    agree(5, earlier);
    expect(await limit(5)).toMatchObject({ status: 200, body: { endpointLimits: { concurrency: 7 } } });
    expect((await read()).endpointLimits).toEqual({ concurrency: 7 });
  });

  it.each([0, 1001, 1.5, '5', true, [], {}, undefined])(
    'answers 422 to a concurrency of %p [admin.endpoint-limits]',
    async (concurrency) => {
      expect(await limit(concurrency)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field: 'endpointLimits.concurrency' }] },
      });
      expect([asked(), await acts()]).toEqual([[], []]);
    },
  );

  it.each([null, [], 5, '5', true])('answers 422 when endpointLimits is %p', async (endpointLimits) => {
    const answer = await change({ name: 'Renamed', endpointLimits });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: 'endpointLimits' }] } });
    expect([asked(), await acts()]).toEqual([[], []]);
    expect((await read()).name).toBe('A partner');
  });

  it('does not relay an unknown field of the limits', async () => {
    agree(5);
    const answer = await change({ endpointLimits: { concurrency: 5, perSecond: 3 } });
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body.endpointLimits).toEqual({ concurrency: 5 });
    expect(asked()[0]?.body).toEqual({ concurrency: 5 });
  });

  it.each<[string, () => void]>([
    ['hangs', () => gateway.dispatcher.hang()],
    ['closes the connection', () => gateway.dispatcher.breakOff()],
    ['fails', () => gateway.dispatcher.answer(500, { code: 'internal' })],
  ])(
    'answers 503 and changes nothing when postback-dispatcher %s; a repeat succeeds [admin.endpoint-limits]',
    async (_title, prepare) => {
      prepare();
      const before = await read();
      const wanted = { name: 'Renamed', active: false, endpointLimits: { concurrency: 5 } };
      expect(await change(wanted)).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(await read()).toEqual(before);
      expect(await acts()).toMatchObject([{ action: 'partner.change_requested' }]);
      agree(5);
      expect(await change(wanted)).toMatchObject({ status: 200, body: wanted });
      expect((await acts()).map(({ action }) => action)).toEqual([
        'partner.change_requested',
        'partner.change_requested',
        'partner.changed',
      ]);
    },
  );

  it('answers 404 for an unknown partner, without a call to postback-dispatcher or an audit row', async () => {
    const answer = await change({ endpointLimits: { concurrency: 5 } }, 'ptn_unknown');
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(asked()).toEqual([]);
    const rows = await gateway.database.query(`select from partner.audit_entry where entity_id = 'ptn_unknown'`);
    expect(rows).toEqual([]);
  });

  describe('POST /admin/partners', () => {
    const create = (endpointLimits: unknown) =>
      gateway.manage('POST', '/admin/partners', { name: 'Limited', kind: 'promotion', endpointLimits });
    const countPartners = async () =>
      (await gateway.database.query<{ n: number }>(`select count(*)::int as n from partner.partner`))[0]?.n;

    it('sets the limit in postback-dispatcher, with an audit row before the call and another for the creation [admin.partners]', async () => {
      agree(5);
      const { status, body, headers } = await create({ concurrency: 5, perSecond: 3 });
      expect([status, body.endpointLimits]).toEqual([201, { concurrency: 5 }]);
      expect(asked()).toEqual([
        { method: 'PUT', url: `/internal/partners/${body.id}/endpoint-limits`, body: { concurrency: 5 } },
      ]);
      expect((await gateway.manage('GET', `/admin/partners/${body.id}`)).body).toEqual(body);
      const rows = await gateway.database.query(
        `select action, before, after, request_id from partner.audit_entry where entity_id = $1 order by seq`,
        [body.id],
      );
      const request_id = headers.get('x-request-id');
      expect(rows).toMatchObject([
        { action: 'partner.change_requested', after: { endpointLimits: { concurrency: 5 } }, request_id },
        { action: 'partner.created', before: null, after: { endpointLimits: { concurrency: 5 } }, request_id },
      ]);
    });

    it.each([undefined, { concurrency: null }])(
      'does not call postback-dispatcher for the default limit, given as %j',
      async (endpointLimits) => {
        expect(await create(endpointLimits)).toMatchObject({
          status: 201,
          body: { endpointLimits: { concurrency: null } },
        });
        expect(asked()).toEqual([]);
      },
    );

    it.each([null, 5, { concurrency: 0 }, { concurrency: '5' }, {}])(
      'answers 422 when endpointLimits is %j [admin.partners]',
      async (endpointLimits) => {
        const before = await countPartners();
        const answer = await create(endpointLimits);
        expect(answer).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
        expect(answer.body.errors[0].field).toMatch(/^endpointLimits/);
        expect([asked(), await countPartners()]).toEqual([[], before]);
      },
    );

    it('answers 503 and creates no partner when postback-dispatcher fails [admin.partners]', async () => {
      const before = await countPartners();
      gateway.dispatcher.answer(500, { code: 'internal' });
      expect(await create({ concurrency: 5 })).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
      expect(await countPartners()).toBe(before);
    });
  });

  it('is for managers only', async () => {
    const body = { endpointLimits: { concurrency: 5 } };
    const token = await gateway.managerToken({ scope: 'support' });
    expect(await gateway.request('PATCH', `/admin/partners/${id}`, { body })).toMatchObject({ status: 401 });
    expect(await gateway.request('PATCH', `/admin/partners/${id}`, { body, token })).toMatchObject({ status: 403 });
    expect(asked()).toEqual([]);
  });
});
