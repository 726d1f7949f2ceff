import type { VendorRoute } from '../src/array/vendor-routes';
import { alertsOf, invalidFields, type Reader, ReaderWorld, stranger } from './reader';
import { refusesAsEveryOperation } from './refusals';
import { SAMPLE_DATA } from './sample-data';

/** The time limit of a section, long enough for a machine that is busy with other tests. */
const SECTION_TIMEOUT_MS = 1_500;
const UNAVAILABLE = { Err: 'provider unavailable' };

/** The sections of the dashboard in the order of the answer, each with the vendor's route that it reads. */
const SECTIONS: readonly (readonly [string, VendorRoute])[] = [
  ['userAlerts', 'alerts'],
  ['creditScoreHistory', 'credit-scores'],
  ['dataRemovalProgress', 'scans'],
  ['monitorsOverview', 'monitors'],
  ['neighborhoodWatchStatus', 'nhw'],
  ['financialAccountsStatus', 'financial-accounts'],
];

let world: ReaderWorld;
beforeAll(async () => {
  world = await ReaderWorld.start({ DASHBOARD_SECTION_TIMEOUT_MS: String(SECTION_TIMEOUT_MS) });
});
afterEach(() => world.idp.vendor.faults.clear());
afterAll(() => world.stop());

const read = (user: Reader, query = '') => world.idp.request('GET', `/me/dashboard${query}`, user);

describe('GET /idp/array/users/me/dashboard', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/dashboard',
    secondFactor: true,
    promises: { profile: 'idp-dashboard.profile-only' },
  });

  it('returns in each section what the section’s own endpoint returns [idp-dashboard.sections]', async () => {
    const reader = await world.createReader({ data: SAMPLE_DATA() });
    const { status, body } = await read(reader);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(SECTIONS.map(([name]) => name));
    const own = await Promise.all(
      ['alerts', 'credit-scores', 'scans/progress', 'monitors/overview', 'nhw/status', 'financial-accounts/status'].map(
        async (path) => ({ Ok: (await world.idp.request('GET', `/me/${path}`, reader)).body }),
      ),
    );
    expect(Object.values(body)).toEqual(own);
    for (const { Ok } of own) expect(Object.keys(Ok).length).toBeGreaterThan(0);
  });

  it('applies count and offset to the alerts [idp-dashboard.page]', async () => {
    const reader = await world.createReader({ data: { alerts: alertsOf(10, 9_000) } });
    const { body } = await read(reader, '?count=2&offset=3');
    expect(body.userAlerts.Ok.userAlerts.map(({ alertId }: { alertId: number }) => alertId)).toEqual([8_997, 8_996]);
    expect(world.asked(reader)).toContain('/alerts/v2?offset=3&count=2');
  });

  it.each(['count=0', 'count=101', 'count=x', 'count=', 'offset=-1', 'offset=', 'count=1&count=2'])(
    'answers InputValidationFailure to ?%s [idp-dashboard.page]',
    async (query) => {
      const { status, body } = await world.idp.request('GET', `/me/dashboard?${query}`, stranger());
      expect([status, body]).toEqual([400, invalidFields(query.split('=')[0] as string)]);
    },
  );

  describe.each(SECTIONS)('the section %s', (failing, route) => {
    /** Expects an `Err` in this section, and a payload in every other section. */
    async function expectOnlyItToFail(reader: Reader): Promise<void> {
      const { status, body } = await read(reader);
      expect(status).toBe(200);
      for (const [name] of SECTIONS) {
        if (name === failing) expect([name, body[name]]).toEqual([name, UNAVAILABLE]);
        else expect([name, Object.keys(body[name])]).toEqual([name, ['Ok']]);
      }
    }

    it('is the only Err while the vendor’s route fails [idp-dashboard.isolation]', async () => {
      const reader = await world.createReader({ data: SAMPLE_DATA() });
      world.idp.vendor.faults.set(route, { fault: 'error', times: 1 });
      await expectOnlyItToFail(reader);
    });

    it('is the only Err while the vendor’s route hangs [idp-dashboard.isolation, idp-dashboard.deadline]', async () => {
      const reader = await world.createReader({ data: SAMPLE_DATA() });
      world.idp.vendor.faults.set(route, { fault: 'hang', times: 1 });
      await expectOnlyItToFail(reader);
    });

    it('is the only Err when the vendor’s route exceeds the time limit [idp-dashboard.isolation, idp-dashboard.deadline]', async () => {
      const reader = await world.createReader({ data: SAMPLE_DATA() });
      world.idp.vendor.faults.set(route, { fault: 'slow', delayMs: 3 * SECTION_TIMEOUT_MS, times: 1 });
      await expectOnlyItToFail(reader);
    });

    it('is Ok when the vendor’s route is slow, but within the time limit', async () => {
      const reader = await world.createReader({ data: SAMPLE_DATA() });
      world.idp.vendor.faults.set(route, { fault: 'slow', delayMs: 10, times: 1 });
      expect(Object.keys((await read(reader)).body[failing])).toEqual(['Ok']);
    });
  });

  it('answers 200 when every route of the vendor hangs [idp-dashboard.isolation]', async () => {
    const reader = await world.createReader();
    for (const [, route] of SECTIONS) world.idp.vendor.faults.set(route, { fault: 'hang', times: 1 });
    const { status, body } = await read(reader);
    expect(status).toBe(200);
    expect(Object.values(body)).toEqual(SECTIONS.map(() => UNAVAILABLE));
  });

  it('answers Err in sections for which the user lacks the entitlement, and does not read them [idp-dashboard.entitlements]', async () => {
    const required = { Err: 'entitlements required' };
    const reader = await world.createReader({ entitlements: ['idp.identity'], version: 0, data: SAMPLE_DATA() });
    const { body } = await read(reader);
    expect(body).toMatchObject({
      userAlerts: { Ok: expect.any(Object) },
      creditScoreHistory: required,
      dataRemovalProgress: required,
      monitorsOverview: { Ok: { availableCount: 12 } },
      neighborhoodWatchStatus: required,
      financialAccountsStatus: required,
    });
    expect(
      world
        .asked(reader)
        .map((path) => path.split('?')[0])
        .sort(),
    ).toEqual(['/alerts/v2', '/monitors/v2']);
  });

  it('answers Err in every section when the vendor’s answers have another shape, or the vendor does not know the user', async () => {
    const odd = await world.createReader({ data: { instead: { unexpected: true } } });
    expect(Object.values((await read(odd)).body)).toEqual(SECTIONS.map(() => UNAVAILABLE));
    const unknown = await world.createReader();
    world.book.remove(unknown.arrayUserId);
    expect(Object.values((await read(unknown)).body)).toEqual(SECTIONS.map(() => UNAVAILABLE));
  });
});

it('a user’s 21st dashboard or 61st other request in a minute gets 429 [idp-limits.default, idp-limits.dashboard]', async () => {
  const limited = await ReaderWorld.start({ RATE_LIMIT_CLIENT_PER_MINUTE: '', RATE_LIMIT_DASHBOARD_PER_MINUTE: '' });
  try {
    const statuses = async (path: string, count: number): Promise<number[]> => {
      const reader = await limited.createReader();
      const answers = [];
      for (let made = 0; made < count; made++) answers.push(await limited.idp.request('GET', path, reader));
      expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answers.at(-1)?.body).toEqual({ error: 'rate limited' });
      return answers.map(({ status }) => status);
    };
    expect(await statuses('/me/dashboard', 21)).toEqual([...Array<number>(20).fill(200), 429]);
    expect(await statuses('/me/alerts', 61)).toEqual([...Array<number>(60).fill(200), 429]);
  } finally {
    await limited.stop();
  }
});
