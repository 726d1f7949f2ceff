import { eventually } from '@tandem/testing';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Webhook } from 'standardwebhooks';
import { openBilling } from './billing';
import { ARRAY_WEBHOOK_SECRET, openSandbox } from './sandbox';
import { openVendor, PERSON, type AlertPage, type OpenVendor } from './vendor';

let vendor: OpenVendor;
let platform: Awaited<ReturnType<typeof openBilling>>;
beforeAll(async () => {
  platform = await openBilling();
  vendor = await openVendor({ arrayWebhookUrl: platform.url });
});
afterAll(async () => {
  await vendor.close();
  await platform.close();
});

describe('faults of the vendor', () => {
  const set = (fault: object) => vendor.call('PUT', '/vendor/faults', fault);
  /** A call to each part of the vendor's API that can fail. */
  const CALLS: Record<string, (clientKey: string, signal?: AbortSignal) => Promise<{ status: number; body: unknown }>> =
    {
      users: (clientKey) => vendor.write('PATCH', `/user/v2/${clientKey}`, { dob: '1981-01-01' }),
      verify: (clientKey) => vendor.write('POST', '/authenticate/v2', { clientKey }),
      token: (clientKey) => vendor.write('POST', '/authenticate/v2/usertoken', { clientKey, ttlInSeconds: 60 }),
      enrollments: (clientKey) => vendor.write('PUT', `/monitoring/v2/${clientKey}/CREDIT_SCORE`),
      alerts: (clientKey, signal) => vendor.read('/alerts/v2', { clientKey }, signal),
      'credit-scores': (clientKey) => vendor.read('/credit-scores/v2', { clientKey }),
      scans: (clientKey) => vendor.read('/privacy/v2/scans', { clientKey }),
      monitors: (clientKey) => vendor.read('/monitors/v2', { clientKey }),
      nhw: (clientKey) => vendor.read('/nhw/v2/watches', { clientKey }),
      'financial-accounts': (clientKey) => vendor.read('/accounts/v2', { clientKey }),
    };
  const call = (route: string, clientKey: string, signal?: AbortSignal) =>
    (CALLS[route] as (typeof CALLS)[string])(clientKey, signal);

  it.each(Object.keys(CALLS))(
    'make only the route %s answer 500, for the configured number of times',
    async (route) => {
      const clientKey = await vendor.createUser();
      expect(await set({ route, fault: 'error', times: 2 })).toMatchObject({
        status: 200,
        body: { route, fault: 'error', delayMs: 0, times: 2 },
      });
      for (const other of Object.keys(CALLS).filter((name) => name !== route)) {
        expect((await call(other, clientKey)).status).toBe(200);
      }
      const statuses = [];
      for (let times = 0; times < 3; times++) statuses.push((await call(route, clientKey)).status);
      expect(statuses).toEqual([500, 500, 200]);
    },
  );

  it('make verifications refuse the identity until the fault is removed', async () => {
    const clientKey = await vendor.createUser();
    await set({ route: 'verify', fault: 'refuse' });
    expect((await call('verify', clientKey)).body).toEqual({ authenticated: false });
    expect((await vendor.call('GET', '/vendor/faults')).body).toMatchObject({ faults: [{ route: 'verify' }] });
    await set({ route: 'verify', fault: 'none' });
    expect((await call('verify', clientKey)).body).toEqual({ authenticated: true });
    expect((await vendor.call('GET', '/vendor/faults')).body).toEqual({ faults: [] });
  });

  it('delay an answer, or prevent the answer', async () => {
    const clientKey = await vendor.createUser();
    await set({ route: 'alerts', fault: 'slow', delayMs: 1_000, times: 1 });
    const answered: string[] = [];
    const ask = async (name: string): Promise<void> => {
      expect((await call('alerts', clientKey)).status).toBe(200);
      answered.push(name);
    };
    const slow = ask('slow');
    await eventually(async () => expect((await vendor.call('GET', '/vendor/faults')).body).toEqual({ faults: [] }));
    await Promise.all([slow, ask('fast')]);
    expect(answered).toEqual(['fast', 'slow']);
    await set({ route: 'alerts', fault: 'hang', times: 1 });
    await expect(call('alerts', clientKey, AbortSignal.timeout(100))).rejects.toThrow(/abort|timeout/i);
    expect((await call('alerts', clientKey)).status).toBe(200);
  });

  it('prevent any effect of a failed call', async () => {
    const clientKey = await vendor.createUser();
    await set({ route: 'enrollments', fault: 'error', times: 1 });
    await call('enrollments', clientKey);
    expect((await vendor.read(`/monitoring/v2/${clientKey}`, {})).body).toEqual({ enrollments: [] });
  });

  it.each([
    ['an unknown route', { route: 'x', fault: 'error' }],
    ['an unknown fault', { route: 'users', fault: 'x' }],
    ['`refuse` on a route that verifies nothing', { route: 'users', fault: 'refuse' }],
  ])('are refused for %s', async (_name, fault) => {
    expect((await set(fault)).status).toBe(400);
  });
});

describe('an alert that is added', () => {
  const add = (clientKey: string, alert: object) => vendor.call('POST', `/vendor/users/${clientKey}/alerts`, alert);

  it('is first in the list, has the given details, and is pushed by a webhook that an independent library verifies', async () => {
    const clientKey = await vendor.createUser();
    await vendor.call('POST', `/vendor/users/${clientKey}/sample-data`);
    const { status, body } = await add(clientKey, { bureau: 'tui', class: 'COA', detail: { note: 'moved' } });
    const { alertId } = body as { alertId: number };
    expect({ status, body }).toMatchObject({ status: 201, body: { webhook: { status: 200 } } });

    const list = (await vendor.read('/alerts/v2', { clientKey, count: '1' })).body as AlertPage;
    expect(list.alerts[0]).toMatchObject({ alertId, bureau: 'tui', class: 'COA' });
    const details = await vendor.read(`/alerts/v2/tui/${alertId}`, { clientKey });
    expect(details.body).toMatchObject({ creditAlert: { key: alertId }, note: 'moved' });

    const { headers, rawBody, body: pushed } = platform.last();
    expect(() => new Webhook(ARRAY_WEBHOOK_SECRET).verify(rawBody, headers as Record<string, string>)).not.toThrow();
    expect(pushed).toEqual({
      service: 'alerts',
      event: 'push',
      method: 'push',
      details: { appKey: 'app-key', clientKey, bureau: 'TUI', alertType: 'COA', alertSubType: 'NEW', alertId },
    });
  });

  it('is added even when its webhook is refused or cannot be delivered', async () => {
    const clientKey = await vendor.createUser();
    platform.answer.next.push({ status: 404 });
    expect(await add(clientKey, { bureau: 'idp', class: 'PIM' })).toMatchObject({
      status: 201,
      body: { alertId: expect.any(Number), webhook: { status: 404, retries: false } },
    });
    const alone = await openVendor();
    const lonely = await alone.createUser();
    const answer = await alone.call('POST', `/vendor/users/${lonely}/alerts`, { bureau: 'exp', class: 'SSN' });
    expect(answer).toMatchObject({ status: 201, body: { webhook: { status: null, error: expect.any(String) } } });
    await alone.close();
  });

  it('is refused for an unknown user and an unknown bureau', async () => {
    expect((await add('nobody', { bureau: 'idp', class: 'PIM' })).status).toBe(404);
    expect((await add(await vendor.createUser(), { bureau: 'xyz', class: 'PIM' })).status).toBe(400);
  });
});

describe('an enrollment that the vendor ends or starts on its own', () => {
  const set = (clientKey: string, status: string) =>
    vendor.call('PUT', `/vendor/users/${clientKey}/enrollments/CREDIT_SCORE`, { status });
  const statusOf = async (clientKey: string) =>
    ((await vendor.read(`/monitoring/v2/${clientKey}`, {})).body as { enrollments: { status: string }[] }).enrollments;

  it('is changed at the vendor, which reports the change by a signed webhook', async () => {
    const clientKey = await vendor.createUser();
    for (const [status, method] of [
      ['active', 'post'],
      ['cancelled', 'delete'],
    ] as const) {
      expect(await set(clientKey, status)).toMatchObject({ status: 200, body: { status, webhook: { status: 200 } } });
      expect(await statusOf(clientKey)).toMatchObject([{ productCode: 'CREDIT_SCORE', status }]);
      const { rawBody, headers } = platform.last();
      const verified = new Webhook(ARRAY_WEBHOOK_SECRET).verify(rawBody, headers as Record<string, string>);
      expect(verified).toMatchObject({
        service: 'monitoring',
        method,
        details: { clientKey, productCode: 'CREDIT_SCORE' },
      });
    }
  });

  it('is refused for an unknown user and an unknown status', async () => {
    expect((await set('nobody', 'active')).status).toBe(404);
    expect((await set(await vendor.createUser(), 'ended')).status).toBe(400);
  });
});

describe('sample data', () => {
  it('is created only once when it is requested twice', async () => {
    const clientKey = await vendor.createUser();
    const ask = () => vendor.call('POST', `/vendor/users/${clientKey}/sample-data`, { alerts: 3 });
    const first = await ask();
    expect([first.status, (await ask()).status]).toEqual([201, 200]);
    expect((await vendor.read('/alerts/v2', { clientKey })).body).toMatchObject({ total: 3 });
    expect((await vendor.call('POST', '/vendor/users/nobody/sample-data')).status).toBe(404);
  });
});

describe('a restart of the sandbox', () => {
  it('loses no user, enrollment or alert, and the file of the users contains no personal data', async () => {
    const { dataDir, remove } = await openSandbox().then(async (sandbox) => (await sandbox.close(), sandbox));
    const first = await openVendor({ dataDir });
    const [clientKey, deleted] = [await first.createUser(), await first.createUser()];
    await first.write('PUT', `/monitoring/v2/${clientKey}/CREDIT_SCORE`);
    await first.call('POST', `/vendor/users/${clientKey}/sample-data`);
    await first.remove(`/user/v2/${deleted}`);
    const state = async (one: OpenVendor) => [
      (await one.call('GET', '/vendor/users')).body,
      (await one.read('/alerts/v2', { clientKey })).body,
      (await one.read('/monitors/v2', { clientKey })).body,
    ];
    const before = await state(first);
    await first.close();

    const second = await openVendor({ dataDir });
    expect(await state(second)).toEqual(before);
    const fresh = await second.createUser();
    const added = await second.call('POST', `/vendor/users/${fresh}/alerts`, { bureau: 'idp', class: 'PIM' });
    const known = (before[1] as AlertPage).alerts.map(({ alertId }) => alertId);
    expect(known).not.toContain((added.body as { alertId: number }).alertId);
    await second.close();
    const text = readFileSync(path.join(dataDir, 'vendor-users.jsonl'), 'utf8');
    const { address, ...person } = PERSON;
    const values = [...Object.values(person), ...Object.values(address)].filter((value) => value.length > 8);
    expect(values.filter((value) => text.includes(value))).toEqual([]);
    expect(values).toContain(PERSON.ssn);
    remove();
  });
});
