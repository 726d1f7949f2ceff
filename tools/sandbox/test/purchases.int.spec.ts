import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { newSubscription, openBilling } from './billing';
import { checkoutToken, openSandbox, type OpenSandbox } from './sandbox';

describe('the purchases of the store', () => {
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

  const html = async (at: string, of = sandbox): Promise<string> => (await fetch(`${of.url}${at}`)).text();
  const buy = async (order: object = {}, of = sandbox): Promise<string> => {
    const { body } = await of.call('POST', '/store/buy', { email: 'jane@example.com', plan: 'pro', ...order });
    return (body as { subscriptionId: string }).subscriptionId;
  };
  const press = (id: string, change: string) =>
    fetch(`${sandbox.url}/store/purchases/${id}`, {
      method: 'POST',
      body: new URLSearchParams({ change }),
      redirect: 'manual',
    });
  const buttonsOf = (text: string) =>
    [...text.matchAll(/<button [^>]*name="change" value="([a-z]+)"/g)].map(([, value]) => value);
  const stateOf = (text: string) => /<span>State<\/span><span class="tag[^"]*">([^<]*)</.exec(text)?.[1];

  it('are listed newest first, each with plan, price, time and state', async () => {
    const older = await buy({ plan: 'vpn' });
    const newer = await buy({ checkoutUrl: `https://shop.test/?checkout=${checkoutToken()}&plan=pro&currency=EUR` });
    await sandbox.call('POST', `/store/subscriptions/${older}/renew`);
    const text = await html('/store/purchases');
    const listed = [...text.matchAll(/href="\/store\/purchases\/(sub_[0-9a-f]+)"/g)].map(([, id]) => id);
    expect(listed.slice(0, 2)).toEqual([newer, older]);
    expect(text).toMatch(/Pro, 103\.96 EUR[^]*<time datetime="[^]*>live<[^]*VPN, 59\.95 USD/);
    expect(text).not.toContain('jane@');
  });

  it('are at most 50 in the list', async () => {
    await Promise.all(Array.from({ length: 51 }, () => buy()));
    expect((await html('/store/purchases')).match(/href="\/store\/purchases\/sub_/g)).toHaveLength(50);
  });

  it.each([
    ['refund', 'subscription.refunded', 'refunded', []],
    ['chargeback', 'subscription.charged_back', 'charged back', []],
    ['cancel', 'subscription.cancelled', 'cancelled', ['refund', 'chargeback']],
  ])('have a button for %s, which sends %s', async (change, type, state, left) => {
    const id = await buy();
    const before = await html(`/store/purchases/${id}`);
    expect([stateOf(before), buttonsOf(before)]).toEqual(['live', ['refund', 'chargeback', 'cancel']]);
    const { status, headers } = await press(id, change);
    expect([status, headers.get('location')]).toEqual([303, `/store/purchases/${id}`]);
    expect(billing.last().body).toMatchObject({ type, data: { subscriptionId: id } });
    const after = await html(`/store/purchases/${id}`);
    expect([stateOf(after), buttonsOf(after)]).toEqual([state, left]);
    expect(after).toContain('accepted (200)');
  });

  it('show what became of the webhook of a change', async () => {
    const id = await buy();
    billing.answer.next.push({ status: 422 });
    await press(id, 'refund');
    const text = await html(`/store/purchases/${id}`);
    expect(text).toContain('<span class="tag bad">answered 422</span>');
    expect(text).not.toContain('accepted (200)');
  });

  it('show a change that was made without the page, and are live again after a renewal', async () => {
    const id = await buy();
    for (const [change, state] of [
      ['expire', 'expired'],
      ['renew', 'live'],
    ]) {
      await sandbox.call('POST', `/store/subscriptions/${id}/${change}`);
      expect(stateOf(await html(`/store/purchases/${id}`))).toBe(state);
    }
  });

  it('have their buttons on the page that follows the purchase', async () => {
    const form = new URLSearchParams({ email: 'jane@example.com', plan: 'pro', query: '' });
    const receipt = await (await fetch(`${sandbox.url}/store/checkout`, { method: 'POST', body: form })).text();
    const [, id] = /<form [^>]*action="\/store\/purchases\/(sub_[0-9a-f]+)"/.exec(receipt) ?? [];
    expect(buttonsOf(receipt)).toEqual(['refund', 'chargeback', 'cancel']);
    expect(billing.last().body.data.subscriptionId).toBe(id);
    expect(receipt).toContain('129.95 USD');
    for (const page of [receipt, await html('/store/checkout')]) expect(page).toContain('href="/store/purchases"');
  });

  it('are refunded once, however often the button of an open page is pressed', async () => {
    const id = await buy();
    const before = billing.received.length;
    for (let times = 0; times < 2; times++) expect((await press(id, 'refund')).status).toBe(303);
    expect(billing.received).toHaveLength(before + 1);
  });

  it.each(['toString', 'renew', ''])('refuse the change %p with 400, and send nothing', async (change) => {
    const id = await buy();
    const before = billing.received.length;
    expect((await press(id, change)).status).toBe(400);
    expect(billing.received).toHaveLength(before);
  });

  it('are unknown with 404 when the store never sold them', async () => {
    expect((await press('sub_x', 'refund')).status).toBe(404);
    expect((await fetch(`${sandbox.url}/store/purchases/sub_x`)).status).toBe(404);
  });

  it('are the same after a restart, also those of earlier versions of the sandbox, and are stored without an e-mail address', async () => {
    const first = await openSandbox({ webhookUrl: billing.url });
    const id = await buy({}, first);
    await first.call('POST', `/store/subscriptions/${id}/refund`);
    const before = await html(`/store/purchases/${id}`, first);
    await first.close();
    const old = newSubscription();
    const file = path.join(first.dataDir, 'subscriptions.jsonl');
    expect(readFileSync(file, 'utf8')).not.toContain('@');
    appendFileSync(file, `${JSON.stringify({ subscriptionId: old, plan: 'vpn' })}\n`);
    const second = await openSandbox({ webhookUrl: billing.url, dataDir: first.dataDir });
    expect(await html(`/store/purchases/${id}`, second)).toBe(before);
    expect(await html('/store/purchases', second)).toMatch(new RegExp(`${old}[^]*VPN<`));
    expect(buttonsOf(await html(`/store/purchases/${old}`, second))).toEqual(['refund', 'chargeback', 'cancel']);
    await second.close();
    second.remove();
  });
});
