import { decodeJwt } from 'jose';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openBilling } from './billing';
import { openSandbox } from './sandbox';
import { openVendor, PERSON, type AlertPage, type OpenVendor } from './vendor';

const KRN = 'krn:tandem:dev:user:b';
const USER_TOKEN = { userToken: 'vut_secret', expirationDate: 1 };

let vendor: OpenVendor;
let platform: Awaited<ReturnType<typeof openBilling>>;
beforeAll(async () => {
  platform = await openBilling();
  vendor = await openVendor({ arrayWebhookUrl: new URL('/idp/array/webhook', platform.url).toString() });
});
afterAll(async () => {
  await vendor.close();
  await platform.close();
});

const html = async (of: { url: string } = vendor): Promise<string> => (await fetch(`${of.url}/vendor`)).text();
const post = (at: string, fields: Record<string, string>) =>
  fetch(`${vendor.url}${at}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
const press = async (at: string, fields: Record<string, string>): Promise<void> => {
  const { status, headers } = await post(at, fields);
  expect([status, headers.get('location')]).toEqual([303, '/vendor']);
};
const faults = async () => ((await vendor.call('GET', '/vendor/faults')).body as { faults: object[] }).faults;
const noticeOf = (text: string) => /<p class="card[^"]*" role="status">([^]*?)<\/p>/.exec(text)?.[1];
const userOf = (text: string, clientKey: string) =>
  text.split('<article').find((article) => article.includes(clientKey)) ?? '';

describe('the users on the page of the vendor', () => {
  it('have the name, the e-mail address and the phone number that the vendor received last', async () => {
    const clientKey = await vendor.createUser();
    const before = userOf(await html(), clientKey);
    for (const text of ['Jane Doe', 'jane@example.com', '2025550123']) expect(before).toContain(text);
    await vendor.write('PATCH', `/user/v2/${clientKey}`, {
      emailAddress: 'new@example.com',
      phoneNumber: '5035550100',
    });
    const after = userOf(await html(), clientKey);
    for (const text of ['Jane Doe', 'new@example.com', '5035550100']) expect(after).toContain(text);
    expect(after).not.toContain('jane@example.com');
    for (const secret of [PERSON.ssn, PERSON.dob, PERSON.address.street]) expect(after).not.toContain(secret);
  });

  it('are the 50 newest users that exist, newest first', async () => {
    const clientKeys: string[] = [];
    for (let count = 0; count < 51; count++) clientKeys.push(await vendor.createUser());
    const [deleted, newest] = clientKeys.slice(-2) as [string, string];
    await vendor.remove(`/user/v2/${deleted}`);
    const text = await html();
    expect(text).not.toContain(deleted);
    expect(text.match(/<article/g)).toHaveLength(50);
    expect(text.split('<article')[1]).toContain(newest);
  });

  it('are shown as text, never as HTML', async () => {
    const clientKey = await vendor.createUser();
    await vendor.write('PATCH', `/user/v2/${clientKey}`, { firstName: '<script>alert(1)</script>' });
    expect(await html()).not.toContain('<script');
    expect(userOf(await html(), clientKey)).toContain('&lt;script&gt;');
  });

  it('lose name, e-mail address and phone number at a restart, because no file of the sandbox contains them', async () => {
    const { dataDir, remove } = await openSandbox().then(async (sandbox) => (await sandbox.close(), sandbox));
    const first = await openVendor({ dataDir });
    const clientKey = await first.createUser();
    await first.close();
    for (const file of readdirSync(dataDir)) {
      expect(readFileSync(path.join(dataDir, file), 'utf8')).not.toMatch(/jane@example|2025550123|Jane/);
    }
    const second = await openVendor({ dataDir });
    const user = userOf(await html(second), clientKey);
    expect(user).toContain('not known since the restart of the sandbox');
    await second.write('PATCH', `/user/v2/${clientKey}`, { emailAddress: 'new@example.com' });
    expect(userOf(await html(second), clientKey)).toContain('new@example.com');
    await second.close();
    remove();
  });
});

describe('an alert from the page of the vendor', () => {
  it('is added to the user, and pushed by the webhook of the vendor', async () => {
    const clientKey = await vendor.createUser();
    expect(userOf(await html(), clientKey)).toContain('no alerts');
    await press('/vendor/alerts', { clientKey, kind: 'exp CREDIT_MONITORING' });
    const list = (await vendor.read('/alerts/v2', { clientKey })).body as AlertPage;
    expect(list.alerts).toMatchObject([{ bureau: 'exp', class: 'CREDIT_MONITORING' }]);
    const alertId = list.alerts[0]?.alertId;
    expect(platform.last().body).toMatchObject({ service: 'alerts', details: { clientKey, alertId } });
    const text = await html();
    expect(noticeOf(text)).toMatch(new RegExp(`Alert ${alertId} was created\\..*accepted \\(200\\)`, 's'));
    expect(userOf(text, clientKey)).toContain('1 alert,');
  });

  it('is added even when its webhook is refused, and the page shows the refusal', async () => {
    platform.answer.next.push({ status: 404 });
    await press('/vendor/alerts', { clientKey: await vendor.createUser(), kind: 'idp PIM' });
    expect(noticeOf(await html())).toContain('answered 404');
  });

  it('is refused for an unknown user and an unknown kind', async () => {
    expect((await post('/vendor/alerts', { clientKey: 'nobody', kind: 'idp PIM' })).status).toBe(404);
    const clientKey = await vendor.createUser();
    expect((await post('/vendor/alerts', { clientKey, kind: 'idp XYZ' })).status).toBe(400);
    expect((await vendor.read('/alerts/v2', { clientKey })).body).toMatchObject({ total: 0 });
  });
});

describe('the faults on the page of the vendor', () => {
  afterEach(() => press('/vendor/faults', { route: 'all', fault: 'none' }));

  it('make the vendor refuse identities until it confirms them again', async () => {
    const clientKey = await vendor.createUser();
    const authenticated = async () =>
      ((await vendor.write('POST', '/authenticate/v2', { clientKey })).body as { authenticated: boolean })
        .authenticated;
    expect(await html()).toContain('confirms every identity<');
    await press('/vendor/faults', { route: 'verify', fault: 'refuse' });
    expect(await faults()).toMatchObject([{ route: 'verify', fault: 'refuse', times: null }]);
    expect([await authenticated(), await authenticated()]).toEqual([false, false]);
    expect(await html()).toContain('refuses every identity<');
    await press('/vendor/faults', { route: 'verify', fault: 'none' });
    expect([await authenticated(), await faults()]).toEqual([true, []]);
  });

  it('make every part of the vendor fail until the fault is removed', async () => {
    expect(await html()).toContain('works<');
    await press('/vendor/faults', { route: 'all', fault: 'error' });
    const clientKey = await vendor.createUser();
    expect((await vendor.read('/alerts/v2', { clientKey })).status).toBe(500);
    expect(await faults()).toHaveLength(10);
    expect(await html()).toContain('fails<');
    await press('/vendor/faults', { route: 'all', fault: 'none' });
    expect((await vendor.read('/alerts/v2', { clientKey: await vendor.createUser() })).status).toBe(200);
    expect(await html()).toContain('works<');
  });

  it.each([
    [{ fault: 'slow' }, 'answers after 2 s'],
    [{ fault: 'hang' }, 'does not answer'],
    [{ fault: 'error' }, 'answers 500'],
  ])('make one part of the vendor fail: %p', async ({ fault }, text) => {
    await press('/vendor/faults', { route: 'credit-scores', fault });
    expect(await faults()).toMatchObject([{ route: 'credit-scores', fault }]);
    expect(await html()).toMatch(new RegExp(`credit-scores[^]*?${text}`));
  });

  it('show a notice when a fault of all parts replaces the fault that refuses identities', async () => {
    await press('/vendor/faults', { route: 'verify', fault: 'refuse' });
    await press('/vendor/faults', { route: 'alerts', fault: 'error' });
    expect(await html()).toContain('refuses every identity<');
    await press('/vendor/faults', { route: 'all', fault: 'error' });
    expect(noticeOf(await html())).toContain('no longer refuses identities');
    expect(await html()).toContain('answers 500 when it verifies<');
  });

  it('include a fault that a PUT has set, with the number of calls for which it lasts', async () => {
    await vendor.call('PUT', '/vendor/faults', { route: 'verify', fault: 'refuse', times: 2 });
    expect(await html()).toContain('refuses every identity, 2 more times<');
  });

  it.each([
    { route: 'toString', fault: 'error' },
    { route: 'all', fault: 'break' },
    { route: 'users', fault: 'refuse' },
    { route: 'all', fault: 'refuse' },
  ])('do not change after the invalid form %p', async (fields) => {
    expect((await post('/vendor/faults', fields)).status).toBe(400);
    expect(await faults()).toEqual([]);
  });
});

describe('an attempt from the page of the vendor', () => {
  const attempt = async (answer: (typeof platform)['answer']['next'][number], krn = KRN) => {
    platform.answer.next.push(answer);
    await press('/vendor/attempts', { krn });
    return noticeOf(await html());
  };

  it('asks the platform for a token as the user, with a second factor', async () => {
    const notice = await attempt({ status: 200, body: USER_TOKEN });
    const { path: called, headers } = platform.last();
    expect(called).toBe('/idp/array/users/me/token');
    const claims = decodeJwt((headers.authorization as string).replace('Bearer ', ''));
    expect(claims).toMatchObject({ sub: KRN, amr: ['pwd', 'mfa'], iss: `${vendor.url}/issuer/service` });
    expect(notice).toContain('The identity was confirmed');
    expect(await html()).not.toContain('vut_secret');
  });

  const tooEarly = (seconds: number) => ({
    status: 429,
    body: { BadRequest: { AttemptsTooEarly: { retry_after: seconds } } },
  });
  const noneLeft = { status: 403, body: { BadRequest: { MaximumAttemptsReached: { max_allowed: 3 } } } };

  it.each([
    [tooEarly(1), 'not confirmed: the user is locked for 1 s'],
    [tooEarly(900), 'not confirmed: the user is locked for 15 minutes'],
    [tooEarly(86_400), 'not confirmed: the user is locked for 24 hours'],
    [noneLeft, 'no attempt left, and is locked until support'],
  ])('that the vendor refuses shows the lock %j in words', async (answer, text) => {
    const clientKey = await vendor.createUser();
    await vendor.call('PUT', '/vendor/faults', { route: 'verify', fault: 'refuse', times: 1 });
    const before = () => vendor.write('POST', '/authenticate/v2', { clientKey });
    expect(await attempt({ ...answer, before })).toContain(text);
  });

  it.each([
    [tooEarly(850), 'The lock ends in 15 minutes'],
    [noneLeft, 'Only support can end the lock'],
  ])(
    'during a lock does not reach the vendor, and the page says that the attempt did not count: %j',
    async (answer, text) => {
      const notice = await attempt(answer);
      expect(notice).toContain('already locked; this attempt did not count');
      expect(notice).toContain(text);
    },
  );

  it.each([
    [{ status: 400, body: { BadRequest: { UserNotFound: {} } } }, 'has not entered the personal data yet'],
    [{ status: 400, body: { BadRequest: { EntitlementsRequired: {} } } }, 'answered 400: EntitlementsRequired'],
    [{ status: 502, body: { error: 'provider unavailable' } }, 'answered 502'],
  ])('shows the answer %j in words', async (answer, text) => {
    expect(await attempt(answer)).toContain(text);
  });

  it('shows that the platform cannot be reached', async () => {
    const alone = await openVendor();
    const answer = await fetch(`${alone.url}/vendor/attempts`, {
      method: 'POST',
      body: new URLSearchParams({ krn: KRN }),
    });
    expect(noticeOf(await answer.text())).toContain('was not reached');
    await alone.close();
  });

  it('is refused for a text that is not the KRN of a user', async () => {
    const before = platform.received.length;
    expect((await post('/vendor/attempts', { krn: 'jane' })).status).toBe(400);
    expect(platform.received).toHaveLength(before);
  });
});
