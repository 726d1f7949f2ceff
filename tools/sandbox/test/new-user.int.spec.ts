import { decodeJwt } from 'jose';
import { openBilling } from './billing';
import { checkoutToken } from './sandbox';
import { openVendor, type OpenVendor } from './vendor';

const DATA = {
  firstName: 'Ann',
  lastName: 'Other',
  dob: '1991-05-06',
  ssn: '6789',
  emailAddress: 'ann@example.com',
  phoneNumber: '2025550101',
  'address.street': '2 Elm St',
  'address.city': 'Salem',
  'address.state': 'OR',
  'address.zip': '97301',
};

let sandbox: OpenVendor;
let platform: Awaited<ReturnType<typeof openBilling>>;
let users = 0;
const newUser = (): string => `krn:tandem:dev:user:test-${++users}`;
beforeAll(async () => {
  platform = await openBilling();
  sandbox = await openVendor({
    webhookUrl: platform.url,
    arrayWebhookUrl: new URL('/idp/array/webhook', platform.url).toString(),
  });
});
afterAll(async () => {
  await sandbox.close();
  await platform.close();
});

const html = async (path: string): Promise<string> => (await fetch(`${sandbox.url}${path}`)).text();
const post = (path: string, fields: Record<string, string>) =>
  fetch(`${sandbox.url}${path}`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
const valueOf = (text: string, id: string) => new RegExp(`<input id="${id}"[^>]* value="([^"]*)"`).exec(text)?.[1];
const noticeOf = (text: string) => /role="status">([^]*?)<\/p>/.exec(text)?.[1];

describe('the user account of the checkout', () => {
  const buy = async (fields: Record<string, string>) => {
    const response = await post('/store/checkout', { email: 'jane@example.com', plan: 'pro', query: '', ...fields });
    return { status: response.status, text: await response.text(), customer: platform.last()?.body.data?.customer };
  };

  it('is empty at first, and a button fills in a new account and keeps the checkout URL', async () => {
    const query = `checkout=${checkoutToken({ refId: 'a&b' })}&data4=a%26b`;
    const text = await html(`/store/checkout?${query}`);
    expect(valueOf(text, 'krn')).toBe('');
    const fields = { email: 'a"b@example.com', plan: 'vpn', query, account: 'new' };
    const [one, other] = await Promise.all([
      post('/store/checkout', fields).then((response) => response.text()),
      html('/store/checkout?account=new'),
    ]);
    expect(valueOf(one, 'email')).toBe('a&quot;b@example.com');
    expect(one).toContain('value="vpn" checked');
    expect(valueOf(one, 'krn')).toMatch(/^krn:tandem:dev:user:new-[0-9a-f]{8}$/);
    expect(valueOf(other, 'krn')).not.toBe(valueOf(one, 'krn'));
    expect(one).toContain('Partner discount');
    expect(one).toContain('Reference of the partner: <code>a&amp;b</code>');
    expect(/name="query" value="([^"]*)"/.exec(one)?.[1]).not.toContain('account');
  });

  it('is sent as the KRN in the webhook of the purchase, just as the `krn` of POST /store/buy is', async () => {
    const krn = newUser();
    expect(await buy({ krn: ` ${krn} ` })).toMatchObject({ status: 201, customer: { krn, email: 'jane@example.com' } });
    const ofPage = platform.last().body.data;
    await sandbox.call('POST', '/store/buy', { email: 'jane@example.com', plan: 'pro', krn });
    const { subscriptionId, ...ofApi } = platform.last().body.data;
    expect(ofPage).toEqual({ subscriptionId: expect.not.stringMatching(subscriptionId as string), ...ofApi });
  });

  it('is shown after the purchase and on the page of the purchase, with a link to the page of the vendor for this user', async () => {
    const krn = newUser();
    const { text } = await buy({ krn, plan: 'advanced' });
    const [, id] = /<code>(sub_[0-9a-f]+)</.exec(text) ?? [];
    for (const shown of [text, await html(`/store/purchases/${id}`)]) {
      expect(shown).toContain(`<code>${krn}</code> <a href="/vendor?krn=${encodeURIComponent(krn)}">`);
    }
    const vpn = await buy({ krn, plan: 'vpn' });
    expect(vpn.text).toContain(`<code>${krn}</code>`);
    expect(vpn.text).not.toContain('/vendor');
  });

  it('may be left empty, and is refused when it is not a KRN', async () => {
    const without = await buy({ krn: ' ' });
    expect([without.status, without.customer]).toEqual([201, { email: 'jane@example.com' }]);
    expect(without.text).not.toContain('User account');
    const before = platform.received.length;
    expect(await buy({ krn: 'jane' })).toMatchObject({ status: 400 });
    expect(platform.received).toHaveLength(before);
  });
});

describe('the form for personal data on the page of the vendor', () => {
  const pageOf = (krn: string) => html(`/vendor?krn=${encodeURIComponent(krn)}`);
  const enter = async (krn: string, answer: (typeof platform)['answer']['next'][number], data = DATA) => {
    platform.answer.next.push(answer);
    const { status, headers } = await post('/vendor/profiles', { krn, ...data });
    expect([status, headers.get('location')]).toEqual([303, `/vendor?krn=${encodeURIComponent(krn)}`]);
    return pageOf(krn);
  };

  it('has invented data, with an e-mail address and a phone number that depend on the user', async () => {
    const [one, other] = [await pageOf(newUser()), await pageOf(newUser())];
    expect(valueOf(one, 'emailAddress')).toBe(`test-${users - 1}@example.com`);
    expect(one).toContain('The values are invented.');
    expect(valueOf(one, 'phoneNumber')).toMatch(/^[2-9][0-8]\d55501\d\d$/);
    expect(valueOf(await pageOf(`krn:tandem:dev:user:test-${users - 1}`), 'phoneNumber')).toBe(
      valueOf(one, 'phoneNumber'),
    );
    expect(valueOf(other, 'emailAddress')).toBe(`test-${users}@example.com`);
    expect(await html('/vendor')).not.toContain('emailAddress');
  });

  it('creates the profile as the user, with a second factor', async () => {
    const krn = newUser();
    const page = await enter(krn, { status: 200, body: { userToken: 'vut_secret', expirationDate: 1 } });
    const { path, headers, body } = platform.last();
    expect(path).toBe('/idp/array/users');
    expect(decodeJwt((headers.authorization as string).replace('Bearer ', ''))).toMatchObject({
      sub: krn,
      amr: ['pwd', 'mfa'],
    });
    const {
      'address.street': street,
      'address.city': city,
      'address.state': state,
      'address.zip': zip,
      ...rest
    } = DATA;
    expect(body).toEqual({ ...rest, address: { street, city, state, zip }, version: 1 });
    expect(noticeOf(page)).toContain(`Personal data of ${krn}: The identity was confirmed`);
    expect(page).not.toContain('vut_secret');
    expect(page).not.toContain('ann@example.com');
  });

  it('sends no empty fields, and keeps its values and names the refused fields after a refusal', async () => {
    const krn = newUser();
    const body = { BadRequest: { InputValidationFailure: { invalid_fields: ['address.zip', 'dob'] } } };
    const page = await enter(krn, { status: 400, body }, { ...DATA, ssn: '', firstName: '"><b>' });
    expect(platform.last().body).not.toHaveProperty('ssn');
    expect(noticeOf(page)).toContain('not valid: ZIP code; Date of birth. The platform answered 400');
    expect([valueOf(page, 'emailAddress'), valueOf(page, 'ssn')]).toEqual(['ann@example.com', '']);
    expect(valueOf(page, 'firstName')).toBe('&quot;&gt;&lt;b&gt;');
    expect(page).toContain('These are the values that you entered.');
    expect(page).not.toContain('invented');
    expect(await pageOf(newUser())).not.toContain('ann@example.com');
  });

  it.each([
    [{ status: 400, body: { BadRequest: { EntitlementsRequired: {} } } }, 'buy Advanced or Pro in the store'],
    [{ status: 400, body: { BadRequest: { UserAlreadyExists: {} } } }, 'has already entered the personal data'],
    [{ status: 429, body: { BadRequest: { AttemptsTooEarly: { retry_after: 900 } } } }, 'this attempt did not count'],
    [{ status: 429, body: { error: 'rate limited' } }, 'Wait a minute: the user has made too many requests'],
    [{ status: 502, body: { error: 'provider unavailable' } }, ': The platform answered 502: provider unavailable.'],
    [{ status: 502, body: { BadRequest: null, error: 1 } }, ': The platform answered 502.'],
  ])('shows the answer %j in words', async (answer, text) => {
    expect(noticeOf(await enter(newUser(), answer))).toContain(text);
  });

  it('keeps its user after any other form of the page is sent', async () => {
    const krn = newUser();
    await sandbox.createUser();
    const page = await pageOf(krn);
    expect(valueOf(page, 'krn')).toBe(krn);
    const location = `/vendor?krn=${encodeURIComponent(krn)}`;
    const actions = [...page.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, action]) => action as string);
    const others = actions.filter((action) => !/attempts|profiles/.test(action));
    expect(others.map((action) => action.split('?')[1])).toEqual(others.map(() => location.split('?')[1]));
    const pressed = await post(others[0] as string, { route: 'verify', fault: 'none' });
    expect(pressed.headers.get('location')).toBe(location);
    platform.answer.next.push({ status: 200 });
    expect((await post('/vendor/attempts', { krn })).headers.get('location')).toBe(location);
  });

  it('refuses a text that is not the KRN of a user', async () => {
    const before = platform.received.length;
    expect((await post('/vendor/profiles', { krn: 'jane', ...DATA })).status).toBe(400);
    expect((await fetch(`${sandbox.url}/vendor?krn=jane`)).status).toBe(400);
    expect(platform.received).toHaveLength(before);
  });
});
