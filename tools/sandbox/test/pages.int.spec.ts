import { newWebhookSecret } from '@tandem/auth';
import { newSubscription, openBilling } from './billing';
import { checkoutToken, CONSOLE_URL, openSandbox, type OpenSandbox } from './sandbox';

const TOKEN = checkoutToken();
const WARNING = /<p class="card warning" role="status">([^<]*)</;

describe('the pages of the sandbox', () => {
  let sandbox: OpenSandbox;
  let billing: Awaited<ReturnType<typeof openBilling>>;
  beforeAll(async () => {
    billing = await openBilling();
    sandbox = await openSandbox({ webhookUrl: billing.url });
  });
  afterAll(async () => {
    await sandbox.close();
    await billing.close();
    sandbox.remove();
  });

  const html = async (path: string, init?: RequestInit): Promise<string> =>
    (await fetch(`${sandbox.url}${path}`, init)).text();
  const send = (name: string, oid: string) =>
    fetch(`${sandbox.url}/inbox/${name}`, {
      method: 'POST',
      body: JSON.stringify({ oid }),
      headers: { 'webhook-id': `msg-${oid}` },
    });
  const messages = async (name: string) =>
    ((await sandbox.call('GET', `/inbox/${name}/messages`)).body as { items: { attempt: number }[] }).items;

  describe('the start page', () => {
    it('links to every page for people, and each of them answers', async () => {
      const text = await html('/');
      const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, link]) => link as string);
      expect(links).toEqual(['/store/checkout', '/store/purchases', '/inbox', '/inboxes', '/vendor']);
      for (const link of links) {
        const { status, headers } = await fetch(sandbox.url + link);
        expect([link, status, headers.get('content-type')]).toEqual([link, 200, expect.stringContaining('text/html')]);
      }
      expect(text).toContain(`href="${CONSOLE_URL}"`);
    });

    it('explains how to create a user of identity protection', async () => {
      expect(await html('/')).toMatch(
        /To make a user of identity protection, buy Advanced or Pro[^]*“Act as this user”/,
      );
    });

    it('is linked from every page to which it links', async () => {
      for (const link of ['/store/checkout', '/store/purchases', '/inbox', '/inboxes', '/vendor']) {
        expect([link, await html(link)]).toEqual([
          link,
          expect.stringMatching(/<a href="\/">[^<]*start page of the sandbox<\/a>/i),
        ]);
      }
    });
  });

  describe('the checkout', () => {
    it('has the total of each plan, and shows the total of the selected plan without a script', async () => {
      const text = await html(`/store/checkout?checkout=${TOKEN}&plan=advanced`);
      for (const total of ['47.96 USD', '71.96 USD', '103.96 USD']) {
        expect(text).toMatch(new RegExp(`Total today</span><span class="amount">${total}`));
      }
      expect(text).toMatch(/<input type="radio"[^>]*value="advanced" checked>/);
      for (const plan of ['vpn', 'advanced', 'pro']) {
        expect(text).toContain(`form:has(#plan-${plan}:checked) .summary-${plan} { display: block; }`);
      }
      expect(text).not.toContain('<script');
    });

    it.each([
      ['was changed', `checkout=${TOKEN.slice(0, -4)}AAAA`, 'was changed'],
      ['has expired', `checkout=${checkoutToken({ expiresAt: new Date(Date.now() - 60_000) })}`, 'has expired'],
      ['has another reference', `checkout=${checkoutToken({ refId: 'a' })}&data4=b`, 'reference'],
      ['has lost its reference', `checkout=${checkoutToken({ refId: 'a' })}`, 'reference'],
    ])('warns of a URL that %s', async (_name, query, text) => {
      expect(WARNING.exec(await html(`/store/checkout?${query}`))?.[1]).toContain(text);
    });

    it('shows the price without a discount when the token is not valid', async () => {
      const text = await html(`/store/checkout?checkout=${TOKEN.slice(0, -4)}AAAA&plan=pro`);
      expect(text).toMatch(/Total today<\/span><span class="amount">129.95 USD/);
      expect(text).not.toContain('Partner discount');
    });

    it.each([
      '',
      `checkout=${TOKEN}&data4=any`,
      `checkout=${checkoutToken({ refId: 'ä b' })}&data4=${encodeURIComponent('ä b')}`,
    ])('shows no warning when the query is %p', async (query) => {
      expect(await html(`/store/checkout?${query}`)).not.toMatch(WARNING);
    });

    it('links to the inbox that gets the postback of the sale', async () => {
      const form = new URLSearchParams({ email: 'jane@example.com', plan: 'pro', query: '' });
      const receipt = await html('/store/checkout', { method: 'POST', body: form });
      const [, link = ''] = /href="(\/inboxes\?oid=sub_[0-9a-f]+)"/.exec(receipt) ?? [];
      const oid = link.split('=')[1] as string;
      expect(await html(link)).toContain('No postback');
      await send('my-shop', oid);
      const found = await fetch(`${sandbox.url}${link}`, { redirect: 'manual' });
      expect([found.status, found.headers.get('location')]).toEqual([302, '/inbox/my-shop']);
    });
  });

  describe('the inboxes', () => {
    it('are listed with the number of their messages', async () => {
      const [one, other] = [newSubscription(), newSubscription()];
      await send('listed-one', one);
      await send('listed-one', other);
      await send('listed-two', other);
      const text = await html('/inboxes');
      expect(text).toMatch(/href="\/inbox\/listed-one"[^]*?2 messages/);
      expect(text).toMatch(/href="\/inbox\/listed-two"[^]*?1 message\b/);
      expect(await html('/inbox/listed-two')).toContain('href="/inboxes"');
    });

    it('show the number of the postback attempt for each message', async () => {
      const oid = newSubscription();
      for (const one of [oid, oid, newSubscription(), oid]) await send('attempts', one);
      expect((await messages('attempts')).map(({ attempt }) => attempt)).toEqual([3, 1, 2, 1]);
    });

    it('show the attempt and the signature of each message, newest first, without a script', async () => {
      const oid = newSubscription();
      await send('shown', oid);
      await sandbox.call('POST', '/inbox/shown/signing-secrets', { secret: newWebhookSecret() });
      await send('shown', oid);
      const text = await html('/inbox/shown');
      const seen = [...text.matchAll(/attempt \d|signature (?:good|not [a-z ]+)/g)].map(([found]) => found);
      expect(seen).toEqual(['attempt 2', 'signature not good', 'attempt 1', 'signature not checked']);
    });

    it('show messages as text, never as HTML', async () => {
      await fetch(`${sandbox.url}/inbox/hostile`, {
        method: 'POST',
        body: '<script>alert(1)</script>',
        headers: { 'x-hostile': '"><img src=x>' },
      });
      const text = await html('/inbox/hostile');
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(text).not.toMatch(/<script>alert|<img/);
    });

    it('are cleared by a form with one button, which redirects back to the page of the inbox', async () => {
      await send('cleared', newSubscription());
      expect(await html('/inbox/cleared')).toContain(
        '<form method="post" action="/inbox/cleared/clear"><button class="quiet">Clear</button></form>',
      );
      const form = { method: 'POST', body: new URLSearchParams(), redirect: 'manual' } as const;
      const { status, headers } = await fetch(`${sandbox.url}/inbox/cleared/clear`, form);
      expect([status, headers.get('location')]).toEqual([303, '/inbox/cleared']);
      expect(await messages('cleared')).toEqual([]);
    });
  });

  describe('the answers of an inbox', () => {
    const STATE = /This endpoint <span class="tag[^"]*">([^<]*)</;
    const shown = async (name: string) => STATE.exec(await html(`/inbox/${name}`))?.[1];
    const press = (name: string, answer: string) =>
      fetch(`${sandbox.url}/inbox/${name}/behaviour`, {
        method: 'POST',
        body: new URLSearchParams({ answer }),
        redirect: 'manual',
      });

    it.each([
      ['500', 500, 'answers 500'],
      ['410', 410, 'answers 410'],
    ])(
      'are %s after the button of this answer is pressed, until the button for recovery is pressed',
      async (answer, status, text) => {
        const name = `pressed-${answer}`;
        expect(await shown(name)).toBe('answers 200');
        expect(await html(`/inbox/${name}`)).toContain(`value="${answer}"`);
        const pressed = await press(name, answer);
        expect([pressed.status, pressed.headers.get('location')]).toEqual([303, `/inbox/${name}`]);
        expect(await shown(name)).toBe(text);
        for (const oid of [newSubscription(), newSubscription()]) expect((await send(name, oid)).status).toBe(status);
        await press(name, '200');
        expect(await shown(name)).toBe('answers 200');
        expect((await send(name, newSubscription())).status).toBe(200);
      },
    );

    it('take 30 s, longer than postback-dispatcher waits, once the button "slow" is pressed', async () => {
      await press('pressed-slow', 'slow');
      expect(await shown('pressed-slow')).toBe('answers 200 after 30 s');
      const slow = fetch(`${sandbox.url}/inbox/pressed-slow`, { method: 'POST', signal: AbortSignal.timeout(200) });
      await expect(slow).rejects.toMatchObject({ name: 'TimeoutError' });
    });

    it.each([
      [{ status: 503, times: 2 }, 'answers 503, 2 more times'],
      [{ status: 503, times: 1, delayMs: 1_500 }, 'answers 503 after 1.5 s, once more'],
      [{ hang: true }, 'does not answer'],
      [{ status: 204 }, 'answers 204'],
    ])('are shown when a PUT has set %p', async (behaviour, text) => {
      await sandbox.call('PUT', '/inbox/put/behaviour', behaviour);
      expect(await shown('put')).toBe(text);
    });

    it('do not change after a form with an unknown answer', async () => {
      expect((await press('unknown', 'toString')).status).toBe(400);
      expect(await shown('unknown')).toBe('answers 200');
    });
  });
});
