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
  const noticeOf = (text: string) => /<p class="card warning" role="status">([^]*?)<\/p>/.exec(text)?.[1];
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

  it.each([
    ['captured', 'live', 'completed', ['refund', 'chargeback', 'cancel']],
    ['pending', 'payment pending', 'pending', ['cancel']],
    ['failed', 'payment failed', 'failed', []],
  ])(
    'with the payment status %s are %s, and offer only the changes that are possible',
    async (paymentStatus, state, shown, offered) => {
      const id = await buy({ paymentStatus });
      const text = await html(`/store/purchases/${id}`);
      expect([stateOf(text), buttonsOf(text)]).toEqual([state, offered]);
      expect(text).toContain(`<span>Payment</span><span>${shown}</span>`);
      expect(await html('/store/purchases')).toMatch(new RegExp(`${id}</a>[^]*?<span class="tag[^"]*">${state}<`));
    },
  );

  it('offer no refund after a cancellation when the payment is pending', async () => {
    const id = await buy({ paymentStatus: 'pending' });
    await press(id, 'cancel');
    const text = await html(`/store/purchases/${id}`);
    expect([stateOf(text), buttonsOf(text)]).toEqual(['cancelled', []]);
  });

  it('show the plan and the price that were sold, and the plan after its changes', async () => {
    const id = await buy({ krn: 'krn:tandem:dev:user:b' });
    expect(await html(`/store/purchases/${id}`)).not.toContain('Plan now');
    for (const plan of ['advanced', 'vpn']) {
      await sandbox.call('POST', `/store/subscriptions/${id}/change-plan`, { plan });
    }
    const text = await html(`/store/purchases/${id}`);
    expect(text).toContain('<span>Plan and price</span><span>Pro, 129.95 USD</span>');
    expect(text).toContain('<span>Plan now</span><span>VPN</span>');
    expect(await html('/store/purchases')).toMatch(new RegExp(`${id}</a><span>Pro, 129.95 USD \\(now VPN\\)<`));
  });

  it('keep their state and buttons when a webhook is refused without a retry, show the refusal, and can be changed again', async () => {
    const id = await buy();
    billing.answer.next.push({ status: 422 });
    await press(id, 'refund');
    const refused = await html(`/store/purchases/${id}`);
    expect([stateOf(refused), buttonsOf(refused)]).toEqual(['live', ['refund', 'chargeback', 'cancel']]);
    expect(refused).toContain('<span class="tag bad">answered 422</span>');
    expect(noticeOf(refused)).toContain('did not accept <code>subscription.refunded</code>');
    await press(id, 'refund');
    const accepted = await html(`/store/purchases/${id}`);
    expect([stateOf(accepted), buttonsOf(accepted), noticeOf(accepted)]).toEqual(['refunded', [], undefined]);
    expect(accepted).toContain('accepted (200)');
  });

  it('keep the state of the latest change that was not refused, even after several refused changes', async () => {
    const id = await buy();
    await press(id, 'cancel');
    for (const change of ['refund', 'chargeback']) {
      billing.answer.next.push({ status: 422 });
      await press(id, change);
      const text = await html(`/store/purchases/${id}`);
      expect([stateOf(text), buttonsOf(text)]).toEqual(['cancelled', ['refund', 'chargeback']]);
    }
  });

  it('have the new state while the webhook of a change is retried', async () => {
    const id = await buy();
    billing.answer.next.push({ status: 503 });
    await press(id, 'refund');
    const text = await html(`/store/purchases/${id}`);
    expect([stateOf(text), buttonsOf(text), noticeOf(text)]).toEqual(['refunded', [], undefined]);
    expect(text).toContain('answered 503');
  });

  it('show a change that was made by a JSON route, and are live again after a renewal', async () => {
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

  it('are refunded only once when the button of an open page is pressed twice', async () => {
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

  it('are answered with 404 when the store never sold them', async () => {
    expect((await press('sub_x', 'refund')).status).toBe(404);
    expect((await fetch(`${sandbox.url}/store/purchases/sub_x`)).status).toBe(404);
  });

  it('survive a restart, even those that an earlier version stored, and are stored without an e-mail address', async () => {
    const first = await openSandbox({ webhookUrl: billing.url });
    const id = await buy({}, first);
    await first.call('POST', `/store/subscriptions/${id}/refund`);
    const before = await html(`/store/purchases/${id}`, first);
    await first.close();
    const old = newSubscription();
    const file = path.join(first.dataDir, 'subscriptions.jsonl');
    expect(readFileSync(file, 'utf8')).not.toContain('@');
    appendFileSync(file, `${JSON.stringify({ subscriptionId: old, plan: 'vpn' })}\n`);
    const priced = newSubscription();
    const sale = { at: '2026-01-05T09:00:00.000Z', amount: '89.95', currency: 'USD' };
    appendFileSync(
      file,
      `${JSON.stringify({ subscriptionId: priced, plan: 'advanced', krn: 'krn:a:b:user:c', sale })}\n`,
    );
    const second = await openSandbox({ webhookUrl: billing.url, dataDir: first.dataDir });
    expect(await html(`/store/purchases/${id}`, second)).toBe(before);
    expect(await html('/store/purchases', second)).toMatch(new RegExp(`${old}[^]*VPN<`));
    expect(buttonsOf(await html(`/store/purchases/${old}`, second))).toEqual(['refund', 'chargeback', 'cancel']);
    await second.call('POST', `/store/subscriptions/${priced}/change-plan`, { plan: 'pro' });
    const changed = await html(`/store/purchases/${priced}`, second);
    expect([stateOf(changed), buttonsOf(changed)]).toEqual(['live', ['refund', 'chargeback', 'cancel']]);
    expect(changed).toMatch(/Advanced, 89\.95 USD<[^]*Plan now<\/span><span>Pro</);
    await second.close();
    second.remove();
  });
});
