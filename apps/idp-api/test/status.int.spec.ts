import { ReaderWorld } from './reader';
import { refusesAsEveryOperation } from './refusals';
import { SAMPLE_DATA } from './sample-data';

let world: ReaderWorld;
beforeAll(async () => {
  world = await ReaderWorld.start({ VENDOR_TIMEOUT_MS: '1000' });
});
afterAll(() => world.stop());

const get = async (path: string, options: Parameters<ReaderWorld['createReader']>[0] = {}): Promise<unknown> => {
  const reader = await world.createReader({ data: SAMPLE_DATA(), ...options });
  const { status, body, headers } = await world.idp.request('GET', `/me/${path}`, reader);
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('application/json')]);
  return body;
};

describe('GET /idp/array/users/me/credit-scores', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/credit-scores',
    entitlement: 'idp.credit',
    route: 'credit-scores',
    promises: { entitlement: 'idp-credit-scores.entitlement', vendor: 'idp-vendor.read-failure' },
  });

  it('returns only score, productCode and scoreDate of each score [idp-credit-scores.item]', async () => {
    expect(await get('credit-scores')).toEqual({
      creditScoreHistory: [
        { score: '712', productCode: 'exp1bScore', scoreDate: '2026-01-05' },
        { score: '705', productCode: 'exp1bScore', scoreDate: '2025-12-05' },
      ],
    });
  });

  it('returns only the date when the vendor reports a date with a time [idp-credit-scores.item]', async () => {
    const creditScoreHistory = [{ score: '712', productCode: 'exp1bScore', scoreDate: '2026-01-05T09:30:00Z' }];
    expect(await get('credit-scores', { data: { creditScoreHistory } })).toEqual({
      creditScoreHistory: [{ score: '712', productCode: 'exp1bScore', scoreDate: '2026-01-05' }],
    });
  });

  it('is available in version 0 too, and returns an empty list when there are no scores [idp-credit-scores.entitlement]', async () => {
    expect(await get('credit-scores', { version: 0, data: {} })).toEqual({ creditScoreHistory: [] });
  });
});

describe('GET /idp/array/users/me/financial-accounts/status', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/financial-accounts/status',
    entitlement: 'idp.credit',
    route: 'financial-accounts',
    promises: { entitlement: 'idp-financial-accounts.entitlement', vendor: 'idp-vendor.read-failure' },
  });

  it('counts institutions, accounts, and accounts that need a renewal [idp-financial-accounts.status]', async () => {
    expect(await get('financial-accounts/status')).toEqual({
      hasAccounts: true,
      institutionCount: 2,
      accountCount: 3,
      anyNeedsRenewal: true,
      needsRenewalCount: 2,
    });
    expect(await get('financial-accounts/status', { data: {} })).toEqual({
      hasAccounts: false,
      institutionCount: 0,
      accountCount: 0,
      anyNeedsRenewal: false,
      needsRenewalCount: 0,
    });
  });

  it('is not granted in version 0 [idp-financial-accounts.entitlement]', async () => {
    const reader = await world.createReader({ version: 0 });
    const { status, body } = await world.idp.request('GET', '/me/financial-accounts/status', reader);
    expect([status, body]).toEqual([400, { BadRequest: { EntitlementsRequired: {} } }]);
  });
});

describe('GET /idp/array/users/me/monitors/overview', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/monitors/overview',
    route: 'monitors',
    promises: { profile: 'idp-monitors.profile-only', vendor: 'idp-vendor.read-failure' },
  });

  it('answers with 17 categories when the user has TITLE_MONITORING [idp-monitors.overview]', async () => {
    expect(await get('monitors/overview')).toEqual({
      countsByCategory: {
        firstName: 0,
        lastName: 0,
        dob: 0,
        ssn: 1,
        emailAddress: 2,
        phoneNumber: 0,
        address: 0,
        bankAccount: 0,
        creditCard: 0,
        driversLicense: 0,
        medicalId: 0,
        passport: 0,
        homeTitle: 1,
        autoTitle: 0,
        courtRecords: 0,
        highRiskTransactions: 0,
        retirementAccount: 0,
      },
      monitoredCount: 3,
      availableCount: 17,
      availableInHigherPlans: 0,
      availableCategoriesInHigherPlans: [],
    });
  });

  it.each<[string, object]>([
    ['without idp.titles', { entitlements: ['idp.identity', 'idp.credit', 'idp.removal'] }],
    ['in version 0', { version: 0 }],
    ['without any entitlement', { entitlements: [] }],
  ])(
    'answers with 12 categories %s, and reports 5 more in higher plans [idp-monitors.overview]',
    async (_title, options) => {
      expect(await get('monitors/overview', options)).toMatchObject({
        monitoredCount: 2,
        availableCount: 12,
        availableInHigherPlans: 5,
        availableCategoriesInHigherPlans: [
          'homeTitle',
          'autoTitle',
          'courtRecords',
          'highRiskTransactions',
          'retirementAccount',
        ],
      });
    },
  );
});

describe('GET /idp/array/users/me/scans', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/scans',
    entitlement: 'idp.removal',
    route: 'scans',
    promises: { entitlement: 'idp-scans.entitlement', vendor: 'idp-vendor.read-failure' },
  });

  it('answers with scans that have exactly the spec’s fields, and null for times that are not known yet [idp-scans.item]', async () => {
    const at = '2026-01-05T10:00:00.000Z';
    const common = {
      customerId: 'c1',
      enrollmentId: 'e1',
      brokerCount: 2,
      brokerIds: ['b1', 'b2'],
      realtime: false,
      scanType: 'full',
      createdAt: at,
      modifiedAt: at,
    };
    expect(await get('scans')).toEqual([
      { ...common, id: 's3', status: 'pending', startedAt: null, stoppedAt: null },
      { ...common, id: 's2', status: 'running', startedAt: at, stoppedAt: null },
      { ...common, id: 's1', status: 'completed', startedAt: at, stoppedAt: at },
    ]);
    expect(await get('scans', { data: {} })).toEqual([]);
  });

  it('returns null for times that the vendor omits [idp-scans.item]', async () => {
    const [scan] = SAMPLE_DATA().scans;
    const bare = { ...scan, startedAt: undefined, stoppedAt: undefined };
    expect(await get('scans', { data: { scans: [bare] } })).toMatchObject([{ startedAt: null, stoppedAt: null }]);
  });
});

describe('GET /idp/array/users/me/scans/progress', () => {
  refusesAsEveryOperation(() => world, {
    method: 'GET',
    path: '/me/scans/progress',
    entitlement: 'idp.removal',
    route: 'scans',
    promises: { entitlement: 'idp-scans.entitlement', vendor: 'idp-vendor.read-failure' },
  });

  it('returns the progress of each scan, and the totals [idp-scans.progress]', async () => {
    const { totals, perScan } = (await get('scans/progress')) as { totals: object; perScan: object[] };
    expect(totals).toEqual({
      totalRecords: 9,
      notInitiated: 1,
      submitted: 2,
      confirmed: 2,
      verified: 4,
      percentCompleted: 44.4,
    });
    expect(perScan).toMatchObject([
      { scanId: 's2', totalRecords: 3, percentCompleted: 0 },
      { scanId: 's1', totalRecords: 6, percentCompleted: 66.7 },
    ]);
  });

  it('reports 0 percent when there are no records [idp-scans.progress]', async () => {
    expect(await get('scans/progress', { data: {} })).toMatchObject({
      totals: { totalRecords: 0, percentCompleted: 0 },
      perScan: [],
    });
  });
});
