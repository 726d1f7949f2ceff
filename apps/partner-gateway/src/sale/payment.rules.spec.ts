import { randomBytes } from 'node:crypto';
import { CheckoutTokens } from '@tandem/auth';
import { PAYMENT_TYPES, type PaymentReceived } from '@tandem/contracts';
import { PermanentEventError, type ReceivedEvent } from '@tandem/messaging';
import { buyerTimesOf, type LookedUpPayment, mayConcernSales, readPayment } from './payment.rules';
import type { Sale } from './sale.entity';

const NOON = new Date('2026-03-01T12:00:00Z');
const tokens = new CheckoutTokens(`k1:${randomBytes(32).toString('base64')}`);
const purchase = {
  currency: 'USD',
  amount: '99.90',
  paymentStatus: 'captured',
  firstPayment: true,
  items: [],
} as NonNullable<PaymentReceived['purchase']>;
const event = (change: Partial<PaymentReceived>) => {
  const data = { paymentId: 'pay_1', subscriptionId: 'sub_1', occurredAt: NOON.toISOString(), ...change };
  return { data } as ReceivedEvent<PaymentReceived>;
};

describe('mayConcernSales', () => {
  it('is true only for purchases, refunds and chargebacks', () => {
    const json = (type: string) => Buffer.from(JSON.stringify(event({ type: type as PaymentReceived['type'] }).data));
    expect(PAYMENT_TYPES.filter((type) => mayConcernSales(json(type)))).toEqual([
      'subscription.purchased',
      'subscription.refunded',
      'subscription.charged_back',
    ]);
  });
});

describe('readPayment', () => {
  it.each<[string, Partial<PaymentReceived>]>([
    ['a renewal', { type: 'subscription.renewed' }],
    [
      'a purchase that is not the first of its subscription',
      { type: 'subscription.purchased', purchase: { ...purchase, firstPayment: false } },
    ],
  ])('returns null for %s', (_title, change) => {
    expect(readPayment(event(change), tokens)).toBeNull();
  });

  it.each<[string, Partial<PaymentReceived>]>([
    ['an invalid time', { type: 'subscription.refunded', occurredAt: '2026-W10-1' }],
    ['a purchase event without its `purchase`', { type: 'subscription.purchased' }],
  ])('throws a permanent error for %s', (_title, change) => {
    expect(() => readPayment(event(change), tokens)).toThrow(PermanentEventError);
  });

  it('reports why the token of a purchase is invalid', () => {
    const attribution = { checkoutToken: 'forged' };
    const payment = event({ type: 'subscription.purchased', purchase: { ...purchase, attribution } });
    expect(readPayment(payment, tokens)).toMatchObject({ token: { claims: null, fault: 'token_forged' }, code: null });
  });

  it('uses the result of the verification by webhook-ingest instead of verifying the token again', () => {
    const readAs = (attribution: object) =>
      readPayment(event({ type: 'subscription.purchased', purchase: { ...purchase, attribution } }), tokens);
    const checkout = { partnerId: 'p', promotionId: 'd', environment: 'live' as const };
    expect(readAs({ checkout, checkoutToken: 'forged' })).toMatchObject({
      token: { claims: { ...checkout, refId: null }, fault: null },
    });
    expect(readAs({ checkoutFault: 'token_expired' })).toMatchObject({
      token: { claims: null, fault: 'token_expired' },
    });
    expect(readAs({})).toMatchObject({ token: null });
  });
});

describe('buyerTimesOf', () => {
  const bought = (oid: string, change: object = {}, environment: string | null = 'live') =>
    ({
      kind: 'purchase',
      oid,
      facts: { emailHash: 'a', soldAt: NOON, paymentStatus: 'captured', ...change },
      result: environment === null ? { attribution: null, reason: 'unknown_code' } : { attribution: { environment } },
    }) as LookedUpPayment;
  const known = (change: Partial<Sale>) => new Map([['1', { qualifiedAt: null, ...change } as Sale]]);
  const timeOf = (environment: string, emailHash = 'a') => ({ emailHash, environment, at: NOON });

  it('returns the buyer and the time of each captured, attributed purchase once', () => {
    const payments = [
      bought('1'),
      bought('2'),
      bought('3', { emailHash: 'b' }),
      bought('4', { paymentStatus: 'failed' }),
    ];
    expect(buyerTimesOf(payments, new Map())).toEqual([timeOf('live'), timeOf('live', 'b')]);
  });

  it('returns nothing for an unattributed purchase, or for a purchase whose sale has already qualified', () => {
    expect(buyerTimesOf([bought('1', {}, null)], new Map())).toEqual([]);
    expect(buyerTimesOf([bought('1')], known({ qualifiedAt: NOON }))).toEqual([]);
  });

  it('returns the buyer of a known, unattributed purchase when another event of its subscription names a partner', () => {
    const sale = known({ environment: null, emailHash: 'b', soldAt: NOON, paymentStatus: 'captured' });
    expect(buyerTimesOf([bought('1', { paymentStatus: 'pending' }, 'test')], sale)).toEqual([timeOf('test', 'b')]);
  });

  it('returns an entry for each environment to which a subscription may be attributed', () => {
    const payments = [bought('1', { paymentStatus: 'pending' }, 'test'), bought('1')];
    expect(buyerTimesOf(payments, known({ environment: 'live', emailHash: null }))).toEqual([
      timeOf('live'),
      timeOf('test'),
    ]);
  });
});
