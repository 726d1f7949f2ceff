import { newSubscription, openBilling } from './billing';
import { openSandbox, type OpenSandbox } from './sandbox';

/** The store only reads what a token says. */
const TOKEN = `k1.${Buffer.from(JSON.stringify([1, 'ptn', 'prm', 20, 'l', null, 0])).toString('base64url')}.sig`;

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

  describe('the checkout', () => {
    it('has the total of each plan, and shows that of the chosen one without a script', async () => {
      const text = await html(`/store/checkout?checkout=${TOKEN}&plan=advanced`);
      for (const total of ['47.96 USD', '71.96 USD', '103.96 USD']) {
        expect(text).toMatch(new RegExp(`Total today</span><span>${total}`));
      }
      expect(text).toMatch(/<input type="radio"[^>]*value="advanced" checked>/);
      for (const plan of ['vpn', 'advanced', 'pro']) {
        expect(text).toContain(`form:has(#plan-${plan}:checked) .summary-${plan} { display: block; }`);
      }
      expect(text).not.toContain('<script');
    });

    it('leads to the inbox that gets the postback of the sale', async () => {
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
    it('are listed, with how much each got', async () => {
      const [one, other] = [newSubscription(), newSubscription()];
      await send('listed-one', one);
      await send('listed-one', other);
      await send('listed-two', other);
      const text = await html('/inboxes');
      expect(text).toMatch(/href="\/inbox\/listed-one"[^]*?2 messages/);
      expect(text).toMatch(/href="\/inbox\/listed-two"[^]*?1 message\b/);
      expect(await html('/inbox/listed-two')).toContain('href="/inboxes"');
    });

    it('tell which attempt of a postback each message is', async () => {
      const oid = newSubscription();
      for (const one of [oid, oid, newSubscription(), oid]) await send('attempts', one);
      expect((await messages('attempts')).map(({ attempt }) => attempt)).toEqual([3, 1, 2, 1]);
    });

    it('offer "Clear" as a quiet button', async () => {
      const text = await html('/inbox/signed');
      expect(text).toContain('<button id="clear" class="quiet" type="button">Clear</button>');
    });
  });
});
