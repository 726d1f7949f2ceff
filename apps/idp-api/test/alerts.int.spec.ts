import { freshIds, idsOf, listAlerts } from './alert-lists';
import { alertsOf, invalidFields, type Reader, ReaderWorld, stranger } from './reader';
import { refusesAsEveryOperation } from './refusals';

let world: ReaderWorld;
beforeAll(async () => {
  world = await ReaderWorld.start({ VENDOR_TIMEOUT_MS: '1000' });
});
afterAll(() => world.stop());

const list = (user: Reader, query?: string) => listAlerts(world, user, query);

describe('GET /idp/array/users/me/alerts', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/alerts',
    route: 'alerts',
    promises: { profile: 'idp-alerts.profile-only', vendor: 'idp-vendor.read-failure' },
  });

  it('answers the items of the spec and their read state, nothing else, newest first [idp-alerts.item, idp-alerts.newest-first]', async () => {
    const first = freshIds();
    const reader = await world.createReader({ data: { alerts: alertsOf(3, first) } });
    const { status, body, headers } = await world.idp.request('GET', '/me/alerts', reader);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('application/json');
    expect(body).toEqual({
      userAlerts: reader.data.alerts.map(({ alertId, bureau, class: kind, createDate, updatedDate }) => ({
        alertId,
        bureau,
        class: kind,
        createDate,
        updatedDate,
        read: false,
      })),
    });
  });

  it('writes times in UTC, however the vendor writes them [idp-alerts.item]', async () => {
    const east = { createDate: '2026-01-05T10:00:00+02:00', updatedDate: '2026-01-05T10:00:00Z' };
    const reader = await world.createReader({ data: { alerts: alertsOf(1, freshIds(), () => east) } });
    expect(await list(reader)).toMatchObject([
      { createDate: '2026-01-05T08:00:00.000Z', updatedDate: '2026-01-05T10:00:00.000Z' },
    ]);
  });

  it('answers an empty list to a user without alerts', async () => {
    expect(await list(await world.createReader())).toEqual([]);
  });

  it('has 50 without count, and asks the vendor for the page alone [idp-alerts.page]', async () => {
    const first = freshIds();
    const reader = await world.createReader({ data: { alerts: alertsOf(120, first) } });
    expect(idsOf(await list(reader))).toEqual(Array.from({ length: 50 }, (_, index) => first - index));
    expect(idsOf(await list(reader, '?count=100&offset=110'))).toEqual(
      Array.from({ length: 10 }, (_, index) => first - 110 - index),
    );
    expect(await list(reader, '?offset=120')).toEqual([]);
    expect(world.asked(reader)).toEqual([
      '/alerts/v2?offset=0&count=50',
      '/alerts/v2?offset=110&count=100',
      '/alerts/v2?offset=120&count=50',
    ]);
  });

  it('has only the alerts of the bureau that is asked for [idp-alerts.bureau]', async () => {
    const first = freshIds();
    const bureaus = ['idp', 'exp', 'tui', 'efx'];
    const alerts = alertsOf(8, first, (index) => ({ bureau: bureaus[index % 4] as string }));
    const reader = await world.createReader({ data: { alerts } });
    for (const [index, bureau] of bureaus.entries()) {
      expect(idsOf(await list(reader, `?bureau=${bureau}`))).toEqual([first - index, first - index - 4]);
    }
  });

  it.each([
    ['count=0', 'count'],
    ['count=101', 'count'],
    ['count=', 'count'],
    ['count=-1', 'count'],
    ['count=1.5', 'count'],
    ['count=ten', 'count'],
    ['count=1e1', 'count'],
    ['count=0x10', 'count'],
    ['count=5&count=6', 'count'],
    ['count=5%00', 'count'],
    ['count=9999999999999999999999', 'count'],
    ['offset=-1', 'offset'],
    ['offset=', 'offset'],
    ['offset=x', 'offset'],
    ['offset=0&offset=0', 'offset'],
    ['offset=1e30', 'offset'],
    ['bureau=', 'bureau'],
    ['bureau=xyz', 'bureau'],
    ['bureau=EXP', 'bureau'],
    ['bureau=exp&bureau=exp', 'bureau'],
  ])('answers InputValidationFailure to ?%s, and names %s [idp-alerts.query]', async (query, field) => {
    const { status, body } = await world.idp.request('GET', `/me/alerts?${query}`, stranger());
    expect([status, body]).toEqual([400, invalidFields(field)]);
  });

  it('names every parameter that is wrong', async () => {
    const { body } = await world.idp.request('GET', '/me/alerts?bureau=x&offset=x&count=x', stranger());
    expect(body.BadRequest.InputValidationFailure.invalid_fields.sort()).toEqual(['bureau', 'count', 'offset']);
  });

  it('takes 1 and 100, ignores what it does not know, and takes an offset beyond everything', async () => {
    const reader = await world.createReader({ data: { alerts: alertsOf(3, freshIds()) } });
    expect(await list(reader, '?count=1')).toHaveLength(1);
    expect(await list(reader, '?count=100&other=x')).toHaveLength(3);
  });

  it.each([
    ['that the vendor refuses', '999999'],
    ['of a million', '1000000'],
    ['of a thousand millions', '1000000000'],
    ['of 31 digits', `1${'0'.repeat(30)}`],
    ['of 400 digits', '9'.repeat(400)],
  ])('answers an empty page to an offset %s [idp-alerts.page]', async (_title, offset) => {
    const reader = await world.createReader({ data: { alerts: alertsOf(3, freshIds(), () => ({ class: 'NHW' })) } });
    expect(await list(reader, `?offset=${offset}`)).toEqual([]);
    const watches = await world.idp.request('GET', `/me/nhw/alerts?offset=${offset}`, reader);
    expect([watches.status, watches.body]).toEqual([200, { userAlerts: [] }]);
    const { body } = await world.idp.request('GET', `/me/dashboard?offset=${offset}`, reader);
    expect(body.userAlerts).toEqual({ Ok: { userAlerts: [] } });
  });

  it('answers 502 when the vendor refuses what is no late page', async () => {
    const reader = await world.createReader({ data: { refuses: true } });
    expect((await world.idp.request('GET', '/me/alerts', reader)).status).toBe(502);
  });

  it('lists an alert of a bureau that is not known here, when the vendor does [idp-alerts.item]', async () => {
    const reader = await world.createReader({ data: { alerts: alertsOf(1, freshIds(), () => ({ bureau: 'new' })) } });
    expect(await list(reader)).toMatchObject([{ bureau: 'new' }]);
  });

  it.each([
    ['no list', { alerts: 'none' }],
    ['an item without an id', { alerts: [{ bureau: 'exp', class: 'SSN' }] }],
    ['no time', { alerts: [{ ...alertsOf(1, 5)[0], createDate: 'yesterday' }] }],
    ['a text for an id', { alerts: [{ ...alertsOf(1, 5)[0], alertId: '5' }] }],
  ])('answers 502 when the vendor answers with %s', async (_title, answer) => {
    const reader = await world.createReader({ data: { instead: answer } });
    expect((await world.idp.request('GET', '/me/alerts', reader)).status).toBe(502);
  });

  describe('with alerts that the vendor told of and does not list yet', () => {
    const push = (user: Reader, alertId: number, createDate: string, bureau = 'exp') =>
      world.idp.database.query(
        `insert into idp.pushed_alert (krn, alert_id, bureau, class, create_date, updated_date)
         values ($1, $2, $3, 'PIM', $4, $4)`,
        [user.krn, alertId, bureau, createDate],
      );

    it('puts them among the vendor’s by their time, on every page, without reading everything [idp-alerts.pushed]', async () => {
      const first = freshIds();
      const reader = await world.createReader({ data: { alerts: alertsOf(200, first) } });
      const pushedId = first + 500;
      const at = new Date(Date.parse(reader.data.alerts[99]?.createDate ?? '') + 1).toISOString();
      await push(reader, pushedId, at);
      expect(idsOf(await list(reader, '?offset=98&count=3'))).toEqual([first - 98, pushedId, first - 99]);
      expect(idsOf(await list(reader, '?offset=101&count=2'))).toEqual([first - 100, first - 101]);
      expect(idsOf(await list(reader, '?bureau=tui'))).toEqual([]);
      expect(idsOf(await list(reader, '?count=1'))).toEqual([first]);
      // A later page begins earlier at the vendor, by as many places as something of ours may stand before it.
      expect(world.asked(reader)).toEqual([
        '/alerts/v2?offset=97&count=4',
        '/alerts/v2?offset=100&count=3',
        '/alerts/v2?bureau=tui&offset=0&count=50',
        '/alerts/v2?offset=0&count=1',
      ]);
    });

    it('shows one that the vendor lists by now once, and forgets what was pushed [idp-alerts.pushed]', async () => {
      const first = freshIds();
      const reader = await world.createReader({ data: { alerts: alertsOf(3, first) } });
      await push(reader, first - 1, new Date().toISOString());
      expect(idsOf(await list(reader))).toEqual([first, first - 1, first - 2]);
      const left = await world.idp.database.query('select 1 from idp.pushed_alert where krn = $1', [reader.krn]);
      expect(left).toEqual([]);
    });
  });
});

describe('GET /idp/array/users/me/alerts/{bureau}/{alert_id}/details', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/alerts/exp/5/details',
    promises: { profile: 'idp-alerts.profile-only' },
  });

  it('answers in the shape of the source [idp-alerts.details]', async () => {
    const first = freshIds();
    const bureaus = ['idp', 'exp', 'tui', 'efx'];
    const alerts = alertsOf(4, first, (index) => ({ bureau: bureaus[index] as string }));
    const reader = await world.createReader({ data: { alerts } });
    for (const [index, bureau] of bureaus.entries()) {
      const { status, body } = await world.idp.request('GET', `/me/alerts/${bureau}/${first - index}/details`, reader);
      expect([status, body]).toEqual([
        200,
        { [`${bureau}Alert`]: { number: first - index, nested: { class: 'CREDIT_MONITORING' } } },
      ]);
    }
  });

  it('answers 404 to an id that no alert has, to another source, and to another user’s alert [idp-alerts.unknown]', async () => {
    const first = freshIds();
    const owner = await world.createReader({ data: { alerts: alertsOf(1, first) } });
    const other = await world.createReader({ data: { alerts: alertsOf(1, freshIds()) } });
    const paths: [Reader, string][] = [
      [owner, 'exp/9007199254740991'],
      [owner, `exp/${'9'.repeat(300)}`],
      [owner, `exp/${first + 7}`],
      [owner, `tui/${first}`],
      [owner, 'exp/99999999999999999999'],
      [other, `exp/${first}`],
    ];
    for (const [user, path] of paths) {
      const { status, body } = await world.idp.request('GET', `/me/alerts/${path}/details`, user);
      expect([status, body]).toEqual([404, { error: expect.any(String) }]);
    }
  });

  it.each([
    ['xyz/5', ['bureau']],
    ['EXP/5', ['bureau']],
    ['exp/x', ['alertId']],
    ['exp/0', ['alertId']],
    ['exp/-5', ['alertId']],
    ['exp/1.5', ['alertId']],
    ['exp/%00', ['alertId']],
    ['xyz/x', ['bureau', 'alertId']],
  ])('answers InputValidationFailure to %s, and names %p [idp-alerts.path]', async (path, fields) => {
    const { status, body } = await world.idp.request('GET', `/me/alerts/${path}/details`, stranger());
    expect([status, body]).toEqual([400, invalidFields(...fields)]);
  });

  it.each<['error' | 'hang', number]>([
    ['error', 502],
    ['hang', 504],
  ])('answers to the vendor’s %s with %p [idp-vendor.read-failure]', async (fault, status) => {
    const reader = await world.createReader();
    world.idp.vendor.faults.set('alerts', { fault, times: 1 });
    expect((await world.idp.request('GET', '/me/alerts/exp/5/details', reader)).status).toBe(status);
  });
});
