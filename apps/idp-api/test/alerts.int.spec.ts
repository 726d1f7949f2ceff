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

  it('lists the newest alert first, each alert with exactly the fields of the spec [idp-alerts.item, idp-alerts.newest-first]', async () => {
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

  it('answers with times in UTC when the vendor uses other time zones [idp-alerts.item]', async () => {
    const east = { createDate: '2026-01-05T10:00:00+02:00', updatedDate: '2026-01-05T10:00:00Z' };
    const reader = await world.createReader({ data: { alerts: alertsOf(1, freshIds(), () => east) } });
    expect(await list(reader)).toMatchObject([
      { createDate: '2026-01-05T08:00:00.000Z', updatedDate: '2026-01-05T10:00:00.000Z' },
    ]);
  });

  it('answers with an empty list for a user without alerts', async () => {
    expect(await list(await world.createReader())).toEqual([]);
  });

  it('answers with 50 alerts when no count is given, and reads only the requested page from the vendor [idp-alerts.page]', async () => {
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

  it('returns only the alerts of the requested bureau [idp-alerts.bureau]', async () => {
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

  it('names every invalid parameter', async () => {
    const { body } = await world.idp.request('GET', '/me/alerts?bureau=x&offset=x&count=x', stranger());
    expect(body.BadRequest.InputValidationFailure.invalid_fields.sort()).toEqual(['bureau', 'count', 'offset']);
  });

  it('accepts a count of 1 and of 100, and ignores unknown parameters', async () => {
    const reader = await world.createReader({ data: { alerts: alertsOf(3, freshIds()) } });
    expect(await list(reader, '?count=1')).toHaveLength(1);
    expect(await list(reader, '?count=100&other=x')).toHaveLength(3);
  });

  it.each([
    ['that the vendor refuses', '999999'],
    ['of 1,000,000', '1000000'],
    ['of 1,000,000,000', '1000000000'],
    ['of 31 digits', `1${'0'.repeat(30)}`],
    ['of 400 digits', '9'.repeat(400)],
  ])('returns an empty page for an offset %s [idp-alerts.page]', async (_title, offset) => {
    const reader = await world.createReader({ data: { alerts: alertsOf(3, freshIds(), () => ({ class: 'NHW' })) } });
    expect(await list(reader, `?offset=${offset}`)).toEqual([]);
    const watches = await world.idp.request('GET', `/me/nhw/alerts?offset=${offset}`, reader);
    expect([watches.status, watches.body]).toEqual([200, { userAlerts: [] }]);
    const { body } = await world.idp.request('GET', `/me/dashboard?offset=${offset}`, reader);
    expect(body.userAlerts).toEqual({ Ok: { userAlerts: [] } });
  });

  it('answers 502 when the vendor refuses the first page', async () => {
    const reader = await world.createReader({ data: { refuses: true } });
    expect((await world.idp.request('GET', '/me/alerts', reader)).status).toBe(502);
  });

  it('lists an alert of an unknown bureau when the vendor lists it [idp-alerts.item]', async () => {
    const reader = await world.createReader({ data: { alerts: alertsOf(1, freshIds(), () => ({ bureau: 'new' })) } });
    expect(await list(reader)).toMatchObject([{ bureau: 'new' }]);
  });

  it.each([
    ['no list', { alerts: 'none' }],
    ['an item without an id', { alerts: [{ bureau: 'exp', class: 'SSN' }] }],
    ['a date that is not a date-time', { alerts: [{ ...alertsOf(1, 5)[0], createDate: 'yesterday' }] }],
    ['an id that is a string', { alerts: [{ ...alertsOf(1, 5)[0], alertId: '5' }] }],
  ])('answers 502 when the vendor answers with %s', async (_title, answer) => {
    const reader = await world.createReader({ data: { instead: answer } });
    expect((await world.idp.request('GET', '/me/alerts', reader)).status).toBe(502);
  });

  describe('with pushed alerts', () => {
    /** Stores a pushed alert. By default it seems to be stored a minute ago: if one replica of the vendor lists it, every replica does. */
    const push = (user: Reader, alertId: number, createDate: string, storedAt = new Date(Date.now() - 60_000)) =>
      world.idp.database.query(
        `insert into idp.pushed_alert (krn, alert_id, bureau, class, create_date, updated_date, stored_at)
         values ($1, $2, 'exp', 'PIM', $3, $3, $4)`,
        [user.krn, alertId, createDate, storedAt],
      );

    it('merges the pushed alerts by time into the vendor’s list, wherever the page begins [idp-alerts.pushed]', async () => {
      const first = freshIds();
      const reader = await world.createReader({ data: { alerts: alertsOf(200, first) } });
      const pushedId = first + 500;
      const at = new Date(Date.parse(reader.data.alerts[99]?.createDate ?? '') + 1).toISOString();
      await push(reader, pushedId, at);
      expect(idsOf(await list(reader, '?offset=98&count=3'))).toEqual([first - 98, pushedId, first - 99]);
      expect(idsOf(await list(reader, '?offset=101&count=2'))).toEqual([first - 100, first - 101]);
      expect(idsOf(await list(reader, '?bureau=tui'))).toEqual([]);
      expect(idsOf(await list(reader, '?count=1'))).toEqual([first]);
      // idp-api searches the vendor's newest 500 alerts for the pushed alert, even for a small page.
      expect(world.asked(reader)).toEqual([
        '/alerts/v2?offset=0&count=500',
        '/alerts/v2?offset=0&count=500',
        '/alerts/v2?bureau=tui&offset=0&count=50',
        '/alerts/v2?offset=0&count=500',
      ]);
    });

    it('also reads one alert before the page if one alert was pushed and the page is beyond the newest 500 [idp-alerts.pushed]', async () => {
      const first = freshIds();
      const reader = await world.createReader({ data: { alerts: alertsOf(600, first) } });
      await push(reader, first + 500, new Date().toISOString());
      expect(idsOf(await list(reader, '?offset=550&count=2'))).toEqual([first - 549, first - 550]);
      expect(world.asked(reader)).toEqual(['/alerts/v2?offset=549&count=3']);
    });

    /**
     * Creates a user with 30 alerts that the vendor lists, some of which were also pushed, and 6 alerts that were only pushed. @returns the
     * user, and the ids of the alerts, newest first
     */
    async function createMixed(storedAt?: Date): Promise<[Reader, number[]]> {
      const first = freshIds();
      const listed = alertsOf(30, first);
      const reader = await world.createReader({ data: { alerts: listed } });
      const later = (alert: (typeof listed)[number], ms: number) =>
        new Date(Date.parse(alert.createDate) + ms).toISOString();
      // For some of the listed alerts, the pushed creation date is a second later than the listed one; for others, it is much later.
      for (const place of [0, 1, 2, 5, 9]) {
        await push(reader, first - place, later(listed[place] as never, 1_000), storedAt);
      }
      for (const place of [20, 21, 29]) await push(reader, first - place, new Date().toISOString(), storedAt);
      // Two of the alerts that were only pushed arrived at the same time.
      const alone = [100, 101, 102, 103, 104, 105].map((more) => first + more);
      for (const [index, place] of [0, 4, 4, 12, 25].entries()) {
        await push(reader, alone[index] as number, later(listed[place] as never, 500_000), storedAt);
      }
      await push(reader, alone[5] as number, '2020-01-01T00:00:00Z', storedAt);
      const times = await world.idp.database.query(
        'select alert_id::int as id, create_date as at from idp.pushed_alert where krn = $1 and alert_id > $2',
        [reader.krn, first],
      );
      const all = [
        ...listed.map(({ alertId, createDate }) => ({ id: alertId, at: new Date(createDate) })),
        ...(times as { id: number; at: Date }[]),
      ].sort((a, b) => b.at.getTime() - a.at.getTime() || b.id - a.id);
      return [reader, all.map(({ id }) => id)];
    }

    const readPages = async (reader: Reader, count: number, total: number) => {
      const shown: number[] = [];
      for (let offset = 0; offset < total + count; offset += count) {
        shown.push(...idsOf(await list(reader, `?count=${count}&offset=${offset}`)));
      }
      return shown;
    };

    it.each([1, 2, 3, 4, 5, 7, 10, 35, 36, 37, 100])(
      'returns each alert exactly once, in its place, on pages of size %p [idp-alerts.pushed]',
      async (count) => {
        const [reader, all] = await createMixed();
        expect(await readPages(reader, count, all.length)).toEqual(all);
      },
    );

    it.each([1, 4, 36])(
      'returns each alert exactly once on pages of size %p while some replicas may lack pushed alerts [idp-alerts.pushed]',
      async (count) => {
        const [reader, all] = await createMixed(new Date(Date.now() + 60_000));
        for (let round = 0; round < 2; round++) expect(await readPages(reader, count, all.length)).toEqual(all);
      },
    );

    it('shows a new alert even if one replica of the vendor lists it and the next one does not [idp-alerts.pushed]', async () => {
      const first = freshIds();
      const reader = await world.createReader({ data: { alerts: alertsOf(3, first) } });
      await push(reader, first, reader.data.alerts[0]?.createDate as string, new Date());
      const { alerts } = reader.data;
      expect(idsOf(await list(reader))).toEqual([first, first - 1, first - 2]);
      reader.data.alerts = alerts.slice(1);
      expect(idsOf(await list(reader))).toEqual([first, first - 1, first - 2]);
      reader.data.alerts = alerts;
      expect(idsOf(await list(reader))).toEqual([first, first - 1, first - 2]);
    });

    it('returns the same pages in whatever order the pages are requested [idp-alerts.pushed]', async () => {
      const [reader, all] = await createMixed();
      for (const offset of [32, 5, 28, 12, 0, 20]) {
        expect(idsOf(await list(reader, `?count=4&offset=${offset}`))).toEqual(all.slice(offset, offset + 4));
      }
    });

    it('shows a pushed alert once if the vendor lists it too, and reads only the requested page in later requests [idp-alerts.pushed]', async () => {
      const first = freshIds();
      const reader = await world.createReader({ data: { alerts: alertsOf(3, first) } });
      await push(reader, first - 1, new Date().toISOString());
      expect(idsOf(await list(reader))).toEqual([first, first - 1, first - 2]);
      expect(idsOf(await list(reader))).toEqual([first, first - 1, first - 2]);
      expect(world.asked(reader)).toEqual(['/alerts/v2?offset=0&count=500', '/alerts/v2?offset=0&count=50']);
    });
  });
});

describe('GET /idp/array/users/me/alerts/{bureau}/{alert_id}/details', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/alerts/exp/5/details',
    promises: { profile: 'idp-alerts.profile-only' },
  });

  it('answers with the details in the form of the alert’s bureau [idp-alerts.details]', async () => {
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

  it('answers 404 for an unknown id, for another bureau, and for another user’s alert [idp-alerts.unknown]', async () => {
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
  ])('when the vendor has the fault %s, answers %p [idp-vendor.read-failure]', async (fault, status) => {
    const reader = await world.createReader();
    world.idp.vendor.faults.set('alerts', { fault, times: 1 });
    expect((await world.idp.request('GET', '/me/alerts/exp/5/details', reader)).status).toBe(status);
  });
});
