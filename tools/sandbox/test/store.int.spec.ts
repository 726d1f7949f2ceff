import { eventually } from '@tandem/testing';
import { Webhook } from 'standardwebhooks';
import { openBilling } from './billing';
import { checkoutToken, openSandbox, WEBHOOK_SECRET, type OpenSandbox } from './sandbox';

const TOKEN = checkoutToken();

describe('the store', () => {
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

  const buy = async (order: object) =>
    (await sandbox.call('POST', '/store/buy', { email: 'jane@example.com', ...order })) as {
      status: number;
      body: { subscriptionId: string; webhook: { id: string; status: number | null; error?: string } };
    };

  it('sends a signed webhook that an independent library verifies', async () => {
    const { status, body } = await buy({ plan: 'advanced', quantity: 2, krn: 'krn:tandem:eu:user:bob' });
    expect({ status, webhook: body.webhook.status }).toEqual({ status: 201, webhook: 200 });

    const { headers, rawBody, body: webhook, path } = billing.last();
    expect(() => new Webhook(WEBHOOK_SECRET).verify(rawBody, headers as Record<string, string>)).not.toThrow();
    expect(headers['webhook-id']).toBe(webhook.id);
    expect(path).toBe('/idp/payments/webhook');
    expect(webhook).toEqual({
      id: body.webhook.id,
      type: 'subscription.purchased',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      data: {
        subscriptionId: body.subscriptionId,
        customer: { krn: 'krn:tandem:eu:user:bob', email: 'jane@example.com' },
        plan: 'advanced',
        entitlements: ['idp.identity', 'idp.credit', 'idp.removal'],
        currency: 'USD',
        amount: '179.90',
        paymentStatus: 'captured',
        firstPayment: true,
        items: [{ price: '89.95', quantity: 2, category: 'Advanced plan, 12 months', tier: 'advanced' }],
      },
    });
  });

  it('reads token, reference, plan and currency from the checkout URL, and deducts the discount', async () => {
    await buy({ checkoutUrl: `https://shop.test/pay?checkout=${TOKEN}&data4=ref%201&plan=vpn&currency=EUR` });
    expect(billing.last().body.data).toMatchObject({
      plan: 'vpn',
      entitlements: [],
      currency: 'EUR',
      amount: '47.96',
      items: [{ price: '47.96', quantity: 1 }],
      attribution: { checkoutToken: TOKEN, data4: 'ref 1' },
    });
  });

  it.each([
    ['was changed', `${TOKEN.slice(0, -4)}AAAA`],
    ['nobody signed', 'k1.W10.sig'],
    ['has expired', checkoutToken({ expiresAt: new Date(Date.now() - 60_000) })],
  ])('gives no discount for a token that %s, and sends the token in the webhook', async (_name, checkoutToken) => {
    await buy({ checkoutUrl: `https://shop.test/pay?checkout=${checkoutToken}&plan=vpn` });
    expect(billing.last().body.data).toMatchObject({ amount: '59.95', attribution: { checkoutToken } });
  });

  it('sends a promotion code and a separate reference in the webhook', async () => {
    await buy({ promotionCode: 'SAVE', data4: 'mine' });
    expect(billing.last().body.data.attribution).toEqual({ promotionCode: 'SAVE', data4: 'mine' });
  });

  it.each([
    ['renew', 'subscription.renewed'],
    ['cancel', 'subscription.cancelled'],
    ['expire', 'subscription.expired'],
    ['refund', 'subscription.refunded'],
    ['chargeback', 'subscription.charged_back'],
  ])('%s sends %s', async (word, type) => {
    const { body } = await buy({ plan: 'pro' });
    const answer = await sandbox.call('POST', `/store/subscriptions/${body.subscriptionId}/${word}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { subscriptionId: body.subscriptionId, webhook: { status: 200 } },
    });
    expect(billing.last().body).toMatchObject({ type, data: { subscriptionId: body.subscriptionId, customer: {} } });
  });

  it('change-plan sends its webhook to /plan-change, and refuses the current plan with 409', async () => {
    const { body } = await buy({ plan: 'vpn', krn: 'krn:tandem:eu:user:carol' });
    const path = `/store/subscriptions/${body.subscriptionId}/change-plan`;
    const effectiveAt = '2031-01-01T00:00:00Z';
    expect(await sandbox.call('POST', path, { plan: 'pro', effectiveAt })).toMatchObject({ status: 200 });
    expect(billing.last()).toMatchObject({
      path: '/idp/payments/webhook/plan-change',
      body: {
        type: 'subscription.plan_changed',
        data: { fromPlan: 'vpn', toPlan: 'pro', effectiveAt, customer: { krn: 'krn:tandem:eu:user:carol' } },
      },
    });
    expect((await sandbox.call('POST', path, { plan: 'pro' })).status).toBe(409);
  });

  it('sends the same webhook again on demand', async () => {
    const { body } = await buy({});
    const first = billing.last();
    const again = await sandbox.call('POST', `/store/webhooks/${body.webhook.id}/resend`);
    expect(again).toMatchObject({ status: 200, body: { webhook: { id: body.webhook.id, status: 200 } } });
    expect(billing.last()).not.toBe(first);
    expect(billing.last().rawBody).toBe(first.rawBody);
    expect((await sandbox.call('GET', `/store/webhooks/${body.webhook.id}`)).body).toEqual(first.body);
  });

  it('returns the answer to the webhook, or the reason why there was none', async () => {
    billing.answer.next.push({ status: 422 });
    expect((await buy({})).body.webhook).toMatchObject({ status: 422 });

    const alone = await openSandbox({ webhookUrl: 'http://127.0.0.1:9/none' });
    const { status, body } = await alone.call('POST', '/store/buy', { email: 'jane@example.com' });
    await alone.close();
    alone.remove();
    expect({ status, body }).toMatchObject({
      status: 201,
      body: { webhook: { status: null, error: expect.any(String) } },
    });
  });

  it('sends a webhook again until it is accepted, as billing does', async () => {
    const patient = await openSandbox({ webhookUrl: billing.url, webhookRetryDelaysMs: [10, 10] });
    billing.answer.next.push({ status: 503, headers: { 'retry-after': '0' } }, { status: 500 });
    const before = billing.received.length;
    const { body } = await patient.call('POST', '/store/buy', { email: 'jane@example.com' });
    expect(body).toMatchObject({ webhook: { status: 503, retries: true } });
    await eventually(() => expect(billing.received).toHaveLength(before + 3));
    const [first, ...again] = billing.received.slice(before);
    for (const one of again) {
      expect([one.rawBody, one.headers['webhook-id']]).toEqual([first?.rawBody, first?.headers['webhook-id']]);
    }
    await patient.close();
    patient.remove();
  });

  it('stops retrying a webhook after the last delay, and does not retry a webhook that was refused with 422', async () => {
    const patient = await openSandbox({ webhookUrl: billing.url, webhookRetryDelaysMs: [5] });
    billing.answer.next.push({ status: 503 }, { status: 503 }, { status: 422 });
    const before = billing.received.length;
    await patient.call('POST', '/store/buy', { email: 'jane@example.com' });
    await eventually(() => expect(billing.received).toHaveLength(before + 2));
    const refused = await patient.call('POST', '/store/buy', { email: 'jane@example.com' });
    expect(refused.body).toMatchObject({ webhook: { status: 422, retries: false } });
    await patient.call('POST', '/store/buy', { email: 'jane@example.com' });
    expect(billing.received).toHaveLength(before + 4);
    await patient.close();
    patient.remove();
  });

  it('keeps its subscriptions after a restart', async () => {
    const first = await openSandbox({ webhookUrl: billing.url });
    const { subscriptionId } = (await first.call('POST', '/store/buy', { email: 'a@example.com' })).body as {
      subscriptionId: string;
    };
    await first.close();
    const second = await openSandbox({ webhookUrl: billing.url, dataDir: first.dataDir });
    expect((await second.call('POST', `/store/subscriptions/${subscriptionId}/renew`)).status).toBe(200);
    await second.close();
    second.remove();
  });

  it.each([
    ['no e-mail', { email: undefined }, 400],
    ['a malformed e-mail', { email: 'jane' }, 400],
    ['an unknown plan', { plan: 'gold' }, 400],
    ['a quantity of zero', { quantity: 0 }, 400],
    ['a malformed krn', { krn: 'bob' }, 400],
    ['a relative checkout URL', { checkoutUrl: '/store/checkout' }, 400],
    ['an unknown field', { coupon: 'X' }, 400],
  ])('refuses an order with %s, and sends nothing', async (_name, change, status) => {
    const before = billing.received.length;
    const answer = await sandbox.call('POST', '/store/buy', { email: 'jane@example.com', ...change });
    expect(answer).toMatchObject({ status, body: { error: expect.any(String) } });
    expect(billing.received).toHaveLength(before);
  });

  it('answers 404 for a subscription that it never sold', async () => {
    expect(await sandbox.call('POST', '/store/subscriptions/sub_x/refund')).toMatchObject({ status: 404 });
  });
});

describe('the checkout page', () => {
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

  it('shows plan, price and discount, and its form buys the selected plan', async () => {
    const html = await (
      await fetch(`${sandbox.url}/store/checkout?checkout=${TOKEN}&data4=r%261&plan=advanced`)
    ).text();
    for (const text of ['Advanced plan', '89.95 USD', '20 %', '71.96 USD', 'Buy']) expect(html).toContain(text);

    const query = /name="query" value="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const form = new URLSearchParams({ email: 'jane@example.com', plan: 'pro', query });
    const receipt = await fetch(`${sandbox.url}/store/checkout`, { method: 'POST', body: form });
    expect(receipt.status).toBe(201);
    expect(await receipt.text()).toContain('href="/inboxes?oid=sub_');
    expect(billing.last().body.data).toMatchObject({
      plan: 'pro',
      amount: '103.96',
      attribution: { checkoutToken: TOKEN, data4: 'r&1' },
    });
  });

  it('does not put the `data4` of the URL into the page as HTML', async () => {
    const html = await (
      await fetch(`${sandbox.url}/store/checkout?checkout=x&data4=${encodeURIComponent('<script>1</script>')}`)
    ).text();
    expect(html).not.toContain('<script>1');
  });
});
