import { eventually, keepLocks } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { SAMPLE_ALERTS, sampleScans } from '../src/mock/mock-samples';
import { alertsOf, type Reader, ReaderWorld, userNotFound } from './reader';
import { refusesAsEveryOperation } from './refusals';
import { SAMPLE_DATA } from './sample-data';

let world: ReaderWorld;
beforeAll(async () => {
  world = await ReaderWorld.start({ MOCK_ENABLED: 'true' });
});
afterAll(() => world.stop());

const get = async (user: Reader, path: string) => (await world.idp.request('GET', `/me/${path}`, user)).body;
const turn = async (user: Reader, on: boolean, what: 'alerts' | 'scans'): Promise<void> => {
  const { status, text } = await world.idp.request(on ? 'POST' : 'DELETE', `/me/mock/${what}`, user);
  expect([status, text]).toEqual([204, '']);
};
const alertIds = ({ userAlerts }: { userAlerts: { alertId: number }[] }) => userAlerts.map(({ alertId }) => alertId);
const SAMPLE_IDS = SAMPLE_ALERTS.map(({ alertId }) => alertId);

describe.each([
  ['GET', '/me/mock'],
  ['POST', '/me/mock/alerts'],
  ['DELETE', '/me/mock/alerts'],
  ['POST', '/me/mock/scans'],
  ['DELETE', '/me/mock/scans'],
])('%s /idp/array/users%s', (method, path) => {
  refusesAsEveryOperation(() => world, { method, path, promises: { profile: 'idp-mock.profile-only' } });
});

describe('the mock flags', () => {
  it('are off at first, and can each be turned on and off separately and repeatedly [idp-mock.flags]', async () => {
    const reader = await world.createReader();
    const flags = async (alerts: boolean, scans: boolean): Promise<void> =>
      expect(await get(reader, 'mock')).toEqual({ mockAlertsEnabled: alerts, mockScansEnabled: scans });
    await flags(false, false);
    await turn(reader, false, 'alerts');
    await flags(false, false);
    await turn(reader, true, 'alerts');
    await turn(reader, true, 'alerts');
    await flags(true, false);
    await turn(reader, true, 'scans');
    await flags(true, true);
    await turn(reader, false, 'alerts');
    await flags(false, true);
    await turn(reader, false, 'scans');
    await flags(false, false);
  });

  it('apply only to the user who set them [idp-mock.flags]', async () => {
    const [one, other] = [await world.createReader(), await world.createReader()];
    await turn(one, true, 'alerts');
    expect(await get(other, 'mock')).toEqual({ mockAlertsEnabled: false, mockScansEnabled: false });
    expect(await get(other, 'alerts')).toEqual({ userAlerts: [] });
  });
});

describe('sample alerts', () => {
  it('appear in the lists and the dashboard, sorted by time, while the flag is on [idp-mock.alerts]', async () => {
    const reader = await world.createReader({ data: { alerts: alertsOf(3, 3_000) } });
    await turn(reader, true, 'alerts');
    expect(alertIds(await get(reader, 'alerts'))).toEqual([3_000, 2_999, 2_998, ...SAMPLE_IDS]);
    expect(alertIds(await get(reader, 'alerts?count=2&offset=2'))).toEqual([2_998, SAMPLE_IDS[0]]);
    expect(alertIds((await get(reader, 'dashboard?count=100')).userAlerts.Ok)).toEqual([
      3_000,
      2_999,
      2_998,
      ...SAMPLE_IDS,
    ]);
    const watched = SAMPLE_ALERTS.filter((alert) => alert.class === 'NHW').map(({ alertId }) => alertId);
    expect(alertIds(await get(reader, 'nhw/alerts'))).toEqual(watched);
    expect(await get(reader, 'nhw/status')).toEqual({ hasWatches: false, watchAlertCount: watched.length });
    const ofExperian = SAMPLE_ALERTS.filter(({ bureau }) => bureau === 'exp').map(({ alertId }) => alertId);
    expect(alertIds(await get(reader, 'alerts?bureau=exp'))).toEqual([3_000, 2_999, 2_998, ...ofExperian]);
    await turn(reader, false, 'alerts');
    expect(alertIds(await get(reader, 'alerts'))).toEqual([3_000, 2_999, 2_998]);
  });

  it('have details and can be marked while the flag is on [idp-mock.samples]', async () => {
    const reader = await world.createReader();
    await turn(reader, true, 'alerts');
    for (const { alertId, bureau, details } of SAMPLE_ALERTS) {
      expect(await get(reader, `alerts/${bureau}/${alertId}/details`)).toEqual(details);
    }
    const [first, second] = SAMPLE_ALERTS as [(typeof SAMPLE_ALERTS)[number], (typeof SAMPLE_ALERTS)[number]];
    const wrongSource = await world.idp.request('GET', `/me/alerts/efx/${first.alertId}/details`, reader);
    expect(wrongSource.status).toBe(404);
    expect((await world.idp.request('PUT', `/me/alerts/${first.alertId}/read`, reader)).status).toBe(204);
    const marked = (await get(reader, 'alerts')).userAlerts.filter(({ read }: { read: boolean }) => read);
    expect(alertIds({ userAlerts: marked })).toEqual([first.alertId]);
    await turn(reader, false, 'alerts');
    for (const [method, path] of [
      ['GET', `exp/${first.alertId}/details`],
      ['PUT', `${second.alertId}/read`],
    ] as const) {
      expect((await world.idp.request(method, `/me/alerts/${path}`, reader)).status).toBe(404);
    }
  });

  it('are not stored as pushed alerts [idp-mock.samples]', async () => {
    const reader = await world.createReader();
    await turn(reader, true, 'alerts');
    await get(reader, 'alerts');
    const stored = await world.idp.database.query('select 1 from idp.pushed_alert where krn = $1', [reader.krn]);
    expect(stored).toEqual([]);
  });
});

it.each([
  ['setting the flag', 'POST', 'mock/alerts', undefined],
  ['marking all alerts', 'PUT', 'alerts/read', undefined],
  ['marking some alerts', 'PUT', 'alerts/read', { alertIds: [5] }],
])('%s answers UserNotFound, not 500, while the user’s profile is being deleted', async (_, method, path, body) => {
  const reader = await world.createReader();
  const deleting = world.idp.running.nest.get(DataSource).createQueryRunner();
  await deleting.startTransaction();
  await keepLocks(deleting);
  await deleting.query('delete from profile where krn = $1', [reader.krn]);
  const answer = world.idp.request(method, `/me/${path}`, reader, body);
  await eventually(async () => {
    const [row] = await world.idp.database.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    expect(row?.waiting).toBe(1);
  });
  await deleting.commitTransaction();
  await deleting.release();
  expect((await answer).body).toEqual(userNotFound);
});

describe('sample scans', () => {
  it('appear in the list, the progress and the dashboard while the flag is on [idp-mock.scans]', async () => {
    const reader = await world.createReader({ data: SAMPLE_DATA() });
    const before = [await get(reader, 'scans'), await get(reader, 'scans/progress')];
    await turn(reader, true, 'scans');
    const samples = sampleScans(reader.arrayUserId);
    expect(await get(reader, 'scans')).toEqual([...samples, ...before[0]]);
    const progress = await get(reader, 'scans/progress');
    expect(progress.perScan.slice(samples.length)).toEqual(before[1].perScan);
    expect(progress.perScan.slice(0, samples.length)).toMatchObject(samples.map(({ id }) => ({ scanId: id })));
    const sum = (name: string): number =>
      progress.perScan.reduce((total: number, scan: Record<string, number>) => total + (scan[name] ?? NaN), 0);
    for (const name of ['totalRecords', 'notInitiated', 'submitted', 'confirmed', 'verified']) {
      expect([name, progress.totals[name]]).toEqual([name, sum(name)]);
    }
    expect((await get(reader, 'dashboard')).dataRemovalProgress).toEqual({ Ok: progress });
    await turn(reader, false, 'scans');
    expect([await get(reader, 'scans'), await get(reader, 'scans/progress')]).toEqual(before);
  });

  it('need the same entitlement as real scans [idp-mock.entitlements]', async () => {
    const reader = await world.createReader({ entitlements: ['idp.identity'] });
    await turn(reader, true, 'scans');
    for (const path of ['scans', 'scans/progress']) {
      expect(await get(reader, path)).toEqual({ BadRequest: { EntitlementsRequired: {} } });
    }
  });
});

/** tools/deployment/test/development-settings.spec.ts tests that the app refuses to start in production with MOCK_ENABLED. */
describe('without MOCK_ENABLED, as in production', () => {
  let production: ReaderWorld;
  beforeAll(async () => {
    production = await ReaderWorld.start({ MOCK_ENABLED: 'false' });
  });
  afterAll(() => production.stop());

  it('the mock routes do not exist: they answer 404, with and without a token [idp-mock.production]', async () => {
    const reader = await production.createReader();
    for (const user of [reader, null]) {
      for (const [method, path] of [
        ['GET', '/me/mock'],
        ['POST', '/me/mock/alerts'],
        ['DELETE', '/me/mock/alerts'],
        ['POST', '/me/mock/scans'],
        ['DELETE', '/me/mock/scans'],
      ] as const) {
        const { status, body } = await production.idp.request(method, path, user);
        expect([method, path, status, body]).toEqual([method, path, 404, { error: expect.any(String) }]);
      }
    }
  });

  it('a user whose flags were set earlier sees no samples [idp-mock.production]', async () => {
    const reader = await production.createReader({ data: SAMPLE_DATA() });
    const before = [];
    for (const path of ['alerts', 'scans', 'scans/progress']) {
      before.push((await production.idp.request('GET', `/me/${path}`, reader)).body);
    }
    await production.idp.database.query('insert into idp.mock_flag values ($1, true, true)', [reader.krn]);
    const after = [];
    for (const path of ['alerts', 'scans', 'scans/progress']) {
      after.push((await production.idp.request('GET', `/me/${path}`, reader)).body);
    }
    expect(after).toEqual(before);
  });
});
