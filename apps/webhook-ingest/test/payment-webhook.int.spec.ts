import { couponHash, emailHash } from '@tandem/contracts';
import { purchase, webhook } from './billing-provider';
import { checkoutTokens, couponHashKey, emailHashKey, IngestApp, PAYMENT_PATH } from './ingest-app';

let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start();
});
afterAll(() => ingest.stop());

const subscription = { subscriptionId: 'sub_1', customer: { krn: 'krn:eu:tandem:user:u-1' } };

describe('POST /idp/payments/webhook', () => {
  it('stores exactly the bytes of a purchase, and publishes it with the e-mail address masked [sales.time]', async () => {
    const body = purchase();
    const bytes = JSON.stringify(body, null, 1);
    const event = await ingest.expectStored(await ingest.send(bytes), body, bytes, 'accepted');
    expect(event).toEqual({
      paymentId: body.id,
      type: 'subscription.purchased',
      occurredAt: '2025-11-20T10:15:30.500Z',
      subscriptionId: body.data.subscriptionId,
      customer: {
        krn: 'krn:eu:tandem:user:u-1',
        emailMasked: 'J***e@example.com',
        emailHash: emailHash('jane.doe@example.com', emailHashKey),
      },
      plan: 'pro',
      entitlements: ['idp.identity', 'idp.titles'],
      purchase: {
        currency: 'EUR',
        amount: '99.90',
        paymentStatus: 'captured',
        firstPayment: true,
        items: [{ price: '49.95', quantity: 2, category: 'Identity protection', tier: 'pro' }],
        attribution: { checkoutFault: 'token_forged', promotionCode: 'CODE', data4: ' ref 42 ' },
        couponHash: couponHash('ABCD-EFGH', couponHashKey),
      },
    });
  });

  it('replaces a checkout token by its partner and promotion if the token was valid at the time of the purchase', async () => {
    const soldAt = new Date('2025-11-20T10:15:30.500Z');
    const claims = {
      partnerId: 'p-1',
      promotionId: 'd-1',
      percentOff: 20,
      environment: 'live',
      refId: 'order-1',
    } as const;
    const attributionOf = async (expiresAt: Date, refId: string | null = 'order-1') => {
      const checkoutToken = checkoutTokens.sign({ ...claims, refId, expiresAt });
      const body = purchase({ data: { attribution: { checkoutToken } } });
      const event = await ingest.expectStored(await ingest.send(body), body, JSON.stringify(body), 'accepted');
      expect(JSON.stringify(event)).not.toContain(checkoutToken);
      return event?.purchase?.attribution;
    };
    const checkout = { partnerId: 'p-1', promotionId: 'd-1', environment: 'live' };
    expect(await attributionOf(new Date(soldAt.getTime() + 1_000))).toEqual({
      checkout: { ...checkout, refId: 'order-1' },
    });
    expect(await attributionOf(new Date(soldAt.getTime() + 1_000), null)).toEqual({ checkout });
    expect(await attributionOf(new Date(soldAt.getTime() - 1_000))).toEqual({ checkoutFault: 'token_expired' });
  });

  it('publishes an event without the fields that are missing or null, except the quantity, which defaults to 1 [postback-body.quantity]', async () => {
    const body = purchase({
      customer: { krn: null },
      item: { quantity: undefined, tier: null },
      data: { attribution: { data4: null }, couponCode: null },
    });
    const event = await ingest.expectStored(await ingest.send(body), body, JSON.stringify(body), 'accepted');
    expect(Object.keys(event?.customer ?? {})).toEqual(['emailMasked', 'emailHash']);
    expect(event?.purchase?.items).toEqual([{ price: '49.95', quantity: 1, category: 'Identity protection' }]);
    expect(event?.purchase).toMatchObject({ attribution: {} });
    expect(event?.purchase).not.toHaveProperty('couponHash');
  });

  it('stores the webhook-id, the path, the times and the subscription of a webhook in columns', async () => {
    const body = purchase();
    await ingest.send(body);
    const [row] = await ingest.stored(body.id);
    expect(row).toMatchObject({
      webhook_id: expect.stringMatching(/^msg_/),
      path: PAYMENT_PATH,
      occurred_at: new Date('2025-11-20T10:15:30.500Z'),
      received_at: expect.any(Date),
      subscription_id: body.data.subscriptionId,
    });
  });

  it('never stores the e-mail address in clear text [webhooks.payments-email]', async () => {
    const body = purchase({ customer: { email: 'needle.in.haystack@example.com' } });
    await ingest.send(body);
    const tables = ['ingest.inbound_webhook', 'public.outbox_copy'];
    for (const table of tables) {
      const rows = await ingest.database.query(`select 1 from ${table} t where t::text like '%needle.in.haystack%'`);
      expect(rows).toEqual([]);
    }
  });

  it.each(['renewed', 'cancelled', 'expired', 'refunded', 'charged_back'])(
    'publishes subscription.%s',
    async (name) => {
      const type = `subscription.${name}`;
      const data = {
        ...subscription,
        plan: 'pro',
        entitlements: ['idp.identity'],
        effectiveAt: '2025-12-01T00:00:00+02:00',
      };
      const body = webhook(type, data);
      const event = await ingest.expectStored(await ingest.send(body), body, JSON.stringify(body), 'accepted');
      expect(event).toEqual({
        paymentId: body.id,
        type,
        occurredAt: '2025-11-20T10:00:00.000Z',
        ...subscription,
        plan: 'pro',
        entitlements: ['idp.identity'],
        effectiveAt: '2025-11-30T22:00:00.000Z',
      });
    },
  );

  it('publishes a refund that has only the required fields', async () => {
    const body = webhook('subscription.refunded', { subscriptionId: 'sub_2', customer: {} });
    const event = await ingest.expectStored(await ingest.send(body), body, JSON.stringify(body), 'accepted');
    expect(event).toEqual({
      paymentId: body.id,
      type: body.type,
      occurredAt: '2025-11-20T10:00:00.000Z',
      subscriptionId: 'sub_2',
      customer: {},
    });
  });

  it('publishes coupon.redeemed, with the hash of the code', async () => {
    const data = { couponCode: 'abcd-efgh-jklm-npqr', subscriptionId: 'sub_3', redeemedAt: '2025-11-20T09:59:59Z' };
    const body = webhook('coupon.redeemed', data);
    const event = await ingest.expectStored(await ingest.send(body), body, JSON.stringify(body), 'accepted');
    expect(event).toMatchObject({
      couponHash: couponHash('ABCDEFGHJKLMNPQR', couponHashKey),
      subscriptionId: 'sub_3',
      redeemedAt: '2025-11-20T09:59:59.000Z',
    });
    expect(event).not.toHaveProperty('couponCode');
    expect(event).not.toHaveProperty('customer');
  });

  it.each(['subscription.paused', 'constructor', '__proto__', 'toString'])(
    'stores a webhook of the unknown type %s, and publishes nothing [webhooks.payments-unknown]',
    async (type) => {
      const body = webhook(type, { anything: [1, { goes: true }] });
      await ingest.expectStored(await ingest.send(body), body, JSON.stringify(body), 'ignored');
    },
  );

  it('also accepts a plan change, which is identified by its type and not by the path [webhooks.payments-types]', async () => {
    const data = {
      ...subscription,
      fromPlan: 'vpn',
      toPlan: 'pro',
      entitlements: [],
      effectiveAt: '2025-12-01T00:00:00Z',
    };
    const body = webhook('subscription.plan_changed', data);
    await ingest.expectStored(await ingest.send(body), body, JSON.stringify(body), 'accepted');
  });

  it('publishes a body with the keys __proto__ and constructor as if the keys were not there', async () => {
    const body = purchase();
    const bytes = JSON.stringify(body).replace(
      '{',
      '{"__proto__":{"type":"x","polluted":1},"constructor":{"prototype":{"polluted":1}},',
    );
    const nested = bytes.replace('"data":{', '"data":{"__proto__":{"subscriptionId":"other"},');
    const event = await ingest.expectStored(await ingest.send(nested), body, nested, 'accepted');
    expect(event?.subscriptionId).toBe(body.data.subscriptionId);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
    'publishes a body with the unknown key %s in a nested object as if the key were not there',
    async (name) => {
      const body = purchase();
      const foreign = `"unknown":{"${name}":{"${name}":1}},`;
      const bytes = JSON.stringify(body)
        .replace('{', () => `{${foreign}`)
        .replace('"data":{', () => `"data":{${foreign}"${name}":1,`);
      await ingest.expectStored(await ingest.send(bytes), body, bytes, 'accepted');
    },
  );

  it.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
    'names an invalid field even if the body has the unknown key %s in a nested object',
    async (name) => {
      const bytes = JSON.stringify(purchase({ data: { amount: 5 } }));
      const changed = bytes.replace('"data":{', () => `"data":{"unknown":{"${name}":{"a":1}},"${name}":{"a":1},`);
      await ingest.expectRefused(() => ingest.send(changed), 400, /^data\.amount: /);
    },
  );

  it('never publishes a coupon code', async () => {
    const code = 'NEED-LEIN-HAYS-TACK';
    const bought = purchase({ data: { couponCode: code } });
    const data = { couponCode: code, subscriptionId: 'sub_3', redeemedAt: '2025-11-20T09:59:59Z' };
    const redeemed = webhook('coupon.redeemed', data);
    for (const body of [bought, redeemed]) {
      await ingest.send(body);
      expect(JSON.stringify(await ingest.events(body.id))).toMatch(/couponHash/);
      expect(JSON.stringify(await ingest.events(body.id))).not.toMatch(/NEED-?LEIN/i);
    }
  });

  it('uses the last value if a body contains a key twice', async () => {
    const body = purchase();
    const bytes = JSON.stringify(body).replace('{', '{"id":"first","type":"unknown",');
    await ingest.expectStored(await ingest.send(bytes), body, bytes, 'accepted');
    expect(await ingest.stored('first')).toEqual([]);
  });
});
