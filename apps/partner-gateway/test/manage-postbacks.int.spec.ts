import type { PostbackDeliveryPage, PostbackEndpointStatus } from '@tandem/internal-api';
import { Gateway, type TestPartner } from './gateway';

const ID = '01910000-0000-7000-8000-00000000000a';
const TIME = '2026-01-05T09:30:00.000Z';
const STATUS: PostbackEndpointStatus = {
  url: 'https://partner.example.com/sales',
  authMethod: 'Bearer',
  hasKey: true,
  status: 'disabled',
  disabledReason: 'endpoint_gone',
  signingEnabled: true,
  notifyClosures: false,
  createdAt: TIME,
  updatedAt: TIME,
  pausedUntil: null,
};
const TESTED = { delivered: false, status: 503, latencyMs: 12, error: 'status', response: 'busy' };
const RANGE = { from: '2026-01-05T00:00:00Z', to: '2026-01-06T00:00:00Z' };
const COUNT_PATH = `/deliveries/replay?${new URLSearchParams(RANGE)}`;
const PAGE: PostbackDeliveryPage = { items: [], nextCursor: null, hasMore: false };

describe("a partner's postbacks in the admin API", () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start({ POSTBACK_DISPATCHER_TIMEOUT_MS: '1000' });
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  const asked = () => gateway.dispatcher.requests.at(-1);
  const countAsked = () => gateway.dispatcher.requests.length;
  const audited = async (): Promise<object[]> => (await gateway.manage('GET', '/admin/audit?limit=2')).body.items;

  describe.each<[method: string, path: string, internal: string, status: number, answer: unknown, body?: object]>([
    ['GET', '/postback', '/status', 200, STATUS],
    ['POST', '/postback/enable', '/enable', 200, STATUS],
    ['POST', '/postback/test', '/test', 200, TESTED],
    ['POST', '/deliveries/replay', '/deliveries/replay', 202, { count: 3 }, RANGE],
    ['GET', COUNT_PATH, COUNT_PATH, 200, { count: 3 }],
    ['GET', '/deliveries', '/deliveries', 200, PAGE],
    ['POST', `/deliveries/${ID}/replay`, `/deliveries/${ID}/replay`, 202, { id: ID }],
  ])('%s /admin/partners/{id}%s', (method, path, internal, status, answer, body) => {
    const more = (query: string) => (path.includes('?') ? query.replace('?', '&') : query);
    const call = (query = '', id = partner.id) =>
      gateway.manage(method, `/admin/partners/${id}${path}${more(query)}`, body);

    it('is for managers only [admin.postback-status]', async () => {
      const before = countAsked();
      expect((await gateway.request(method, `/admin/partners/${partner.id}${path}`)).status).toBe(401);
      const token = partner.token;
      expect((await gateway.request(method, `/admin/partners/${partner.id}${path}`, { token })).status).toBe(401);
      expect(countAsked()).toBe(before);
    });

    it(`answers ${status} for the given environment, by default for live [admin.postback-status]`, async () => {
      gateway.dispatcher.answer(status, answer);
      for (const [query, environment] of [
        ['', 'live'],
        ['?environment=test', 'test'],
      ] as const) {
        const answered = await call(query);
        expect([answered.status, answered.body]).toEqual([status, answer]);
        expect(answered.headers.get('cache-control')).toBe('no-store');
        const path = `/internal/postback-configurations/${partner.id}/${environment}${internal}`;
        expect([asked()?.method, asked()?.url]).toEqual([method, path]);
        expect(asked()?.headers['x-request-id']).toBe(answered.headers.get('x-request-id'));
      }
    });

    it('answers 404 for an unknown partner, without a call to postback-dispatcher', async () => {
      const before = countAsked();
      expect(await call('', 'ptn_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(countAsked()).toBe(before);
    });

    it.each([
      ['environment=staging', 'environment'],
      ['enviroment=test', 'enviroment'],
    ])('answers 422 to ?%s, without a call to postback-dispatcher [admin.unknown-parameters]', async (query, field) => {
      const before = countAsked();
      expect(await call(`?${query}`)).toMatchObject({
        status: 422,
        body: { code: 'validation_failed', errors: [{ field }] },
      });
      expect(countAsked()).toBe(before);
    });

    it('answers 503 when postback-dispatcher is down [admin.deliveries]', async () => {
      gateway.dispatcher.answer(503, { code: 'service_unavailable' });
      expect(await call()).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    });

    it('relays postback-dispatcher’s error 404 postback_not_configured', async () => {
      gateway.dispatcher.answer(404, { code: 'postback_not_configured' });
      expect(await call()).toMatchObject({ status: 404, body: { code: 'postback_not_configured' } });
    });
  });

  it('are listed with the filters, the limit and the cursor of the request [admin.deliveries]', async () => {
    gateway.dispatcher.answer(200, PAGE);
    const query = 'oid=sub-1&refId=order-1&status=held&limit=5&cursor=AAAA';
    await gateway.manage('GET', `/admin/partners/${partner.id}/deliveries?${query}`);
    expect(Object.fromEntries(new URL(`http://x${asked()?.url}`).searchParams)).toEqual({
      oid: 'sub-1',
      refId: 'order-1',
      status: 'held',
      limit: '5',
      cursor: 'AAAA',
    });
  });

  it('are enabled again with an audit row before the change and another after it [admin.postback-enable]', async () => {
    gateway.dispatcher.answer(200, STATUS);
    await gateway.manage('POST', `/admin/partners/${partner.id}/postback/enable?environment=test`);
    const state = { environment: 'test', status: 'disabled', disabledReason: 'endpoint_gone' };
    const about = { actor: 'manager-1', entity: 'postback', entityId: partner.id, before: state };
    expect(await audited()).toMatchObject([
      { ...about, action: 'postback.enabled', after: state },
      { ...about, action: 'postback.enable_requested', after: null },
    ]);
  });

  it('are replayed with an audit row before the replay and, if the replay is accepted, another after it [admin.delivery-replay]', async () => {
    gateway.dispatcher.answer(202, { id: ID });
    await gateway.manage('POST', `/admin/partners/${partner.id}/deliveries/${ID}/replay`);
    const after = { partnerId: partner.id, environment: 'live' };
    const about = { actor: 'manager-1', entity: 'delivery', entityId: ID, before: null, after };
    expect(await audited()).toMatchObject([
      { ...about, action: 'delivery.replayed' },
      { ...about, action: 'delivery.replay_requested' },
    ]);
    gateway.dispatcher.answer(409, { code: 'postback_disabled' });
    const refused = await gateway.manage('POST', `/admin/partners/${partner.id}/deliveries/${ID}/replay`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'postback_disabled' } });
    expect((await audited())[0]).toMatchObject({ action: 'delivery.replay_requested' });
  });

  it('are tested with a sample, which adds one audit row [admin.postback-test]', async () => {
    gateway.dispatcher.answer(200, TESTED);
    await gateway.manage('POST', `/admin/partners/${partner.id}/postback/test?environment=test`);
    const about = { actor: 'manager-1', entity: 'postback', entityId: partner.id };
    expect((await audited())[0]).toMatchObject({ ...about, action: 'postback.test_requested' });
  });

  it('are replayed for a time range with two audit rows, the second of which has the number of deliveries [admin.delivery-replay]', async () => {
    gateway.dispatcher.answer(202, { count: 3 });
    const answer = await gateway.manage('POST', `/admin/partners/${partner.id}/deliveries/replay`, RANGE);
    expect([answer.status, answer.body, asked()?.body]).toEqual([202, { count: 3 }, { ...RANGE, status: null }]);
    const about = { actor: 'manager-1', entity: 'delivery', entityId: partner.id };
    const range = { partnerId: partner.id, environment: 'live', ...RANGE, status: null };
    expect(await audited()).toMatchObject([
      { ...about, action: 'delivery.range_replayed', after: { ...range, count: 3 } },
      { ...about, action: 'delivery.range_replay_requested', after: range },
    ]);
    gateway.dispatcher.answer(422, {
      code: 'validation_failed',
      errors: [{ field: 'to', message: 'to must be later than from' }],
    });
    const refused = await gateway.manage('POST', `/admin/partners/${partner.id}/deliveries/replay`, RANGE);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ field: 'to' }] } });
  });

  it('can be counted before a replay of a time range, and the count adds no audit row [admin.count-replay]', async () => {
    gateway.dispatcher.answer(200, { count: 3 });
    const before = await audited();
    const answer = await gateway.manage(
      'GET',
      `/admin/partners/${partner.id}${COUNT_PATH}&status=all&environment=test`,
    );
    expect([answer.status, answer.body]).toEqual([200, { count: 3 }]);
    const { pathname, searchParams } = new URL(`http://x${asked()?.url}`);
    expect(pathname).toBe(`/internal/postback-configurations/${partner.id}/test/deliveries/replay`);
    expect(Object.fromEntries(searchParams)).toEqual({ ...RANGE, status: 'all' });
    expect(await audited()).toEqual(before);
  });

  it.each<[path: string, status: number, answer: object, body: object | undefined, requested: string]>([
    ['postback/enable', 200, STATUS, undefined, 'postback.enable_requested'],
    ['deliveries/replay', 202, { count: 3 }, RANGE, 'delivery.range_replay_requested'],
    [`deliveries/${ID}/replay`, 202, { id: ID }, undefined, 'delivery.replay_requested'],
  ])(
    'are enabled or replayed even if the second audit row cannot be written: POST %s gets its usual answer [admin.audit-row]',
    async (path, status, answer, body, requested) => {
      const constraint = `add constraint no_second check (action not like '%ed' or action like '%_requested') not valid`;
      await gateway.database.query(`alter table partner.audit_entry ${constraint}`);
      try {
        gateway.dispatcher.answer(status, answer);
        expect(await gateway.manage('POST', `/admin/partners/${partner.id}/${path}`, body)).toMatchObject({ status });
        expect((await audited())[0]).toMatchObject({ action: requested });
      } finally {
        await gateway.database.query('alter table partner.audit_entry drop constraint no_second');
      }
    },
  );

  it('are not replayed for a malformed id: the answer is 404, with no call to postback-dispatcher and no audit row [admin.delivery-replay]', async () => {
    const before = [countAsked(), (await audited())[0]];
    const refused = await gateway.manage('POST', `/admin/partners/${partner.id}/deliveries/x/replay`);
    expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect([countAsked(), (await audited())[0]]).toEqual(before);
  });

  describe('lists of the admin API', () => {
    it.each(['/admin/partners', '/admin/audit'])(
      'refuse unknown query parameters: GET %s [admin.unknown-parameters]',
      async (path) => {
        expect(await gateway.manage('GET', `${path}?limit=0&actve=true`)).toMatchObject({
          status: 422,
          body: { code: 'validation_failed', errors: [{ field: 'actve' }, { field: 'limit' }] },
        });
      },
    );
  });
});
