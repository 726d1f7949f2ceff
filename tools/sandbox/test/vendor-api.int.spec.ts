import { randomUUID } from 'node:crypto';
import { openVendor, PERSON, type AlertPage, type OpenVendor } from './vendor';

let vendor: OpenVendor;
beforeAll(async () => void (vendor = await openVendor()));
afterAll(() => vendor.close());

/** Creates a user with sample data. @returns its clientKey */
async function sampled(): Promise<string> {
  const clientKey = await vendor.createUser();
  expect((await vendor.call('POST', `/vendor/users/${clientKey}/sample-data`)).status).toBe(201);
  return clientKey;
}

const alertsOf = async (clientKey: string, query: Record<string, string> = {}): Promise<AlertPage> =>
  (await vendor.read('/alerts/v2', { clientKey, ...query })).body as AlertPage;

describe("access to the vendor's API", () => {
  it.each([
    ['no token', {}],
    ['a wrong token', { 'x-array-server-token': 'other' }],
  ])('is refused with 401 for %s', async (_name, headers) => {
    const answer = await vendor.call('GET', '/vendor/api/monitors/v2', undefined, { headers });
    expect(answer).toMatchObject({ status: 401, body: { error: expect.any(String) } });
  });

  it('is refused with 403 for a wrong appKey, both in a query and in a body', async () => {
    const clientKey = await vendor.createUser();
    expect((await vendor.read('/monitors/v2', { clientKey, appKey: 'other' })).status).toBe(403);
    expect((await vendor.write('POST', '/authenticate/v2', { clientKey, appKey: 'other' })).status).toBe(403);
  });
});

describe('users of the vendor', () => {
  it('are created, replaced, changed and deleted under the clientKey that the caller chooses', async () => {
    const clientKey = randomUUID();
    const url = `/user/v2/${clientKey}`;
    for (let times = 0; times < 2; times++) {
      expect(await vendor.write('PUT', url, PERSON)).toMatchObject({ status: 200, body: { clientKey } });
    }
    expect(await vendor.write('PATCH', url, { dob: '1981-01-01' })).toMatchObject({ status: 200, body: { clientKey } });
    const listed = async () =>
      ((await vendor.call('GET', '/vendor/users')).body as { users: { clientKey: string }[] }).users.filter(
        (user) => user.clientKey === clientKey,
      );
    expect(await listed()).toEqual([{ clientKey, createdAt: expect.any(String), enrollments: [] }]);
    expect((await vendor.remove(url)).status).toBe(204);
    expect((await vendor.remove(url)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect((await vendor.write('PATCH', url, { dob: '1981-01-01' })).status).toBe(404);
  });

  it.each([
    ['an address without a zip', { address: { street: '1 Main St', city: 'Springfield', state: 'IL' } }, 'address.zip'],
    ['an invalid date', { dob: '1980-02-30' }, 'dob'],
    ['an ssn of 5 digits', { ssn: '12345' }, 'ssn'],
    ['no first name', { firstName: undefined }, 'firstName'],
  ])('are refused with %s', async (_name, change, field) => {
    const answer = await vendor.write('PUT', `/user/v2/${randomUUID()}`, { ...PERSON, ...change });
    expect(answer).toMatchObject({ status: 400, body: { fields: [{ field }] } });
  });

  it('are verified and get tokens, but requests for an unknown user get 404', async () => {
    const clientKey = await vendor.createUser();
    expect(await vendor.write('POST', '/authenticate/v2', { clientKey })).toMatchObject({
      status: 200,
      body: { authenticated: true },
    });
    const now = Math.floor(Date.now() / 1000);
    const { status, body } = await vendor.write('POST', '/authenticate/v2/usertoken', { clientKey, ttlInSeconds: 900 });
    const token = body as { userToken: string; expirationDate: number };
    expect(status).toBe(200);
    expect(token.userToken).toMatch(/^vut_/);
    expect([now + 900, now + 901, now + 902]).toContain(token.expirationDate);

    const unknown = { clientKey: randomUUID() };
    expect((await vendor.write('POST', '/authenticate/v2', unknown)).status).toBe(404);
    expect((await vendor.write('POST', '/authenticate/v2/usertoken', { ...unknown, ttlInSeconds: 900 })).status).toBe(
      404,
    );
  });
});

describe('enrollments at the vendor', () => {
  it('can be created and cancelled repeatedly, and keep their id', async () => {
    const clientKey = await vendor.createUser();
    const url = `/monitoring/v2/${clientKey}`;
    const first = await vendor.write('PUT', `${url}/CREDIT_SCORE`);
    const enrollment = { enrollmentId: expect.any(String), productCode: 'CREDIT_SCORE', status: 'active' };
    expect(first).toMatchObject({ status: 200, body: enrollment });
    expect((await vendor.write('PUT', `${url}/CREDIT_SCORE`)).body).toEqual(first.body);
    await vendor.write('PUT', `${url}/DATA_REMOVAL`);
    for (let times = 0; times < 2; times++) expect((await vendor.remove(`${url}/DATA_REMOVAL`)).status).toBe(204);
    expect((await vendor.remove(`${url}/NEVER_ENROLLED`)).status).toBe(204);
    expect((await vendor.read(url, {})).body).toEqual({
      enrollments: [enrollment, { ...enrollment, productCode: 'DATA_REMOVAL', status: 'cancelled' }],
    });
    expect((await vendor.write('PUT', `${url}/CREDIT_SCORE`)).body).toEqual(first.body);
  });

  it('are deleted with their user, and requests for the enrollments of an unknown user get 404', async () => {
    const clientKey = await vendor.createUser();
    const url = `/monitoring/v2/${clientKey}`;
    await vendor.write('PUT', `${url}/CREDIT_SCORE`);
    await vendor.remove(`/user/v2/${clientKey}`);
    expect((await vendor.read(url, {})).status).toBe(404);
    expect((await vendor.write('PUT', `${url}/CREDIT_SCORE`)).status).toBe(404);
    await vendor.write('PUT', `/user/v2/${clientKey}`, PERSON);
    expect((await vendor.read(url, {})).body).toEqual({ enrollments: [] });
  });
});

describe('alerts of the vendor', () => {
  it('are returned in pages, newest first, for every bureau', async () => {
    const clientKey = await sampled();
    const { total, alerts } = await alertsOf(clientKey);
    expect(alerts).toHaveLength(total);
    expect(new Set(alerts.map(({ bureau }) => bureau))).toEqual(new Set(['idp', 'exp', 'tui', 'efx']));
    expect(new Set(alerts.map((alert) => alert.class)).size).toBe(9);
    const dates = alerts.map(({ createDate }) => createDate);
    expect(dates).toEqual([...dates].sort().reverse());
    const page = await alertsOf(clientKey, { count: '3', offset: '2' });
    expect(page).toEqual({ total, alerts: alerts.slice(2, 5) });
    expect(await alertsOf(clientKey, { offset: '1000' })).toEqual({ total, alerts: [] });
  });

  it('are filtered by bureau and class', async () => {
    const clientKey = await sampled();
    const { alerts, total } = await alertsOf(clientKey, { bureau: 'tui', class: 'COA' });
    expect(total).toBe(alerts.length);
    expect(new Set(alerts.map((alert) => `${alert.bureau} ${alert.class}`))).toEqual(new Set(['tui COA']));
    const nhw = (await vendor.read('/nhw/v2/alerts', { clientKey, count: '1' })).body as AlertPage;
    expect(nhw).toMatchObject({ total: 2, alerts: [{ class: 'NHW' }] });
  });

  it("have details in their bureau's own form", async () => {
    const clientKey = await sampled();
    const { alerts } = await alertsOf(clientKey);
    const details = async (bureau: string): Promise<object> => {
      const { alertId } = alerts.find((alert) => alert.bureau === bureau) as AlertPage['alerts'][number];
      const { status, body } = await vendor.read(`/alerts/v2/${bureau}/${alertId}`, { clientKey });
      expect(status).toBe(200);
      return body as object;
    };
    const shapes = await Promise.all(
      ['idp', 'exp', 'tui', 'efx'].map(async (bureau) => Object.keys(await details(bureau))),
    );
    expect(shapes).toEqual([
      ['alertId', 'alertType', 'title', 'description', 'severity', 'source', 'exposed'],
      ['id', 'alertCode', 'alertCategory', 'message', 'reportedDate', 'subscriber', 'account'],
      ['creditAlert'],
      ['alertInfo', 'data'],
    ]);
  });

  it('are found only under their own bureau and for their own user; other requests get 404', async () => {
    const [clientKey, other] = [await sampled(), await sampled()];
    const [alert] = (await alertsOf(clientKey, { bureau: 'exp' })).alerts;
    const status = async (bureau: string, key: string) =>
      (await vendor.read(`/alerts/v2/${bureau}/${alert?.alertId}`, { clientKey: key })).status;
    expect(await status('exp', clientKey)).toBe(200);
    expect(await status('tui', clientKey)).toBe(404);
    expect(await status('exp', other)).toBe(404);
  });
});

describe('reports of the vendor', () => {
  const REPORTS = [
    ['/credit-scores/v2', 'creditScoreHistory'],
    ['/privacy/v2/scans', 'scans'],
    ['/privacy/v2/records', 'perScan'],
    ['/nhw/v2/watches', 'watches'],
    ['/accounts/v2', 'institutions'],
  ] as const;

  it.each(REPORTS)('%s is empty without sample data, and answers 404 for an unknown user', async (path, name) => {
    const answer = await vendor.read(path, { clientKey: await vendor.createUser() });
    expect(answer).toMatchObject({ status: 200, body: { [name]: [] } });
    expect((await vendor.read(path, { clientKey: randomUUID() })).status).toBe(404);
  });

  it.each(REPORTS)('%s has entries with sample data', async (path, name) => {
    const { body } = await vendor.read(path, { clientKey: await sampled() });
    expect((body as Record<string, unknown[]>)[name]?.length).toBeGreaterThan(1);
  });

  it('on monitored fields count each field of the user once', async () => {
    const { body } = await vendor.read('/monitors/v2', { clientKey: await vendor.createUser() });
    expect(body).toEqual({ monitors: Object.keys(PERSON).map((category) => ({ category, count: 1 })) });
  });
});
