import { alertsOf, invalidFields, ReaderWorld, stranger } from './reader';
import { refusesAsEveryOperation } from './refusals';
import { SAMPLE_DATA } from './sample-data';

let world: ReaderWorld;
beforeAll(async () => {
  world = await ReaderWorld.start({ VENDOR_TIMEOUT_MS: '1000' });
});
afterAll(() => world.stop());

const OPERATION = {
  method: 'GET',
  entitlement: 'idp.identity',
  route: 'nhw',
  promises: { entitlement: 'idp-nhw.entitlement', vendor: 'idp-vendor.read-failure' },
} as const;

describe('GET /idp/array/users/me/nhw/status', () => {
  refusesAsEveryOperation(() => world, { ...OPERATION, path: '/me/nhw/status' });

  it('shows whether the user has watches, and how many alerts the watches have raised [idp-nhw.status]', async () => {
    const reader = await world.createReader({ data: SAMPLE_DATA() });
    const { body } = await world.idp.request('GET', '/me/nhw/status', reader);
    expect(body).toEqual({ hasWatches: true, watchAlertCount: 3 });
    const empty = await world.createReader();
    expect((await world.idp.request('GET', '/me/nhw/status', empty)).body).toEqual({
      hasWatches: false,
      watchAlertCount: 0,
    });
  });

  it('answers EntitlementsRequired to a user of version 0, as the lists of watches and alerts do [idp-nhw.entitlement]', async () => {
    const reader = await world.createReader({ version: 0 });
    for (const path of ['status', 'watches', 'alerts']) {
      const { status, body } = await world.idp.request('GET', `/me/nhw/${path}`, reader);
      expect([status, body]).toEqual([400, { BadRequest: { EntitlementsRequired: {} } }]);
    }
  });
});

describe('GET /idp/array/users/me/nhw/watches', () => {
  refusesAsEveryOperation(() => world, { ...OPERATION, path: '/me/nhw/watches', secondFactor: true });

  it('answers with the watches, each with only the fields of the spec [idp-nhw.watches]', async () => {
    const reader = await world.createReader({ data: SAMPLE_DATA() });
    const watch = {
      label: 'Home',
      address: '12 Larkspur Lane',
      radiusMiles: 1.5,
      active: true,
      createdAt: '2026-01-05T10:00:00.000Z',
    };
    expect((await world.idp.request('GET', '/me/nhw/watches', reader)).body).toEqual({
      watches: [
        { watchId: 'w1', ...watch, alertCount: 2 },
        { watchId: 'w2', ...watch, alertCount: 1 },
      ],
    });
  });
});

describe('GET /idp/array/users/me/nhw/alerts', () => {
  refusesAsEveryOperation(() => world, { ...OPERATION, path: '/me/nhw/alerts', secondFactor: true });

  it('answers with only the alerts of the class NHW, in the form of the alert list, with their read state [idp-nhw.alerts]', async () => {
    const alerts = alertsOf(6, 7_000, (index) => (index % 2 === 0 ? { class: 'NHW', bureau: 'idp' } : {}));
    const reader = await world.createReader({ data: { alerts } });
    await world.idp.request('PUT', '/me/alerts/6998/read', reader);
    const { body } = await world.idp.request('GET', '/me/nhw/alerts?count=2', reader);
    expect(body).toEqual({
      userAlerts: [0, 2].map((index) => ({
        alertId: 7_000 - index,
        bureau: 'idp',
        class: 'NHW',
        createDate: alerts[index]?.createDate,
        updatedDate: alerts[index]?.updatedDate,
        read: index === 2,
      })),
    });
    expect(world.asked(reader)).toContain('/nhw/v2/alerts?offset=0&count=2');
  });

  it.each(['count=0', 'count=101', 'count=', 'offset=-1', 'offset=x', 'offset=1&offset=1'])(
    'answers InputValidationFailure to ?%s [idp-nhw.alerts]',
    async (query) => {
      const { status, body } = await world.idp.request('GET', `/me/nhw/alerts?${query}`, stranger());
      expect([status, body]).toEqual([400, invalidFields(query.split('=')[0] as string)]);
    },
  );
});
