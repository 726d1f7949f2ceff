import type { PaymentReceived } from '@tandem/contracts';
import { redemptionOf, refusalReason } from './redemption.rules';

const event = (change: Partial<PaymentReceived>): PaymentReceived => ({
  paymentId: 'evt_1',
  type: 'subscription.purchased',
  occurredAt: '2026-01-01T00:00:00.000Z',
  subscriptionId: 'sub_1',
  ...change,
});

const bought = (change: Partial<NonNullable<PaymentReceived['purchase']>>): PaymentReceived =>
  event({
    purchase: { currency: 'USD', amount: '1.00', paymentStatus: 'captured', firstPayment: true, items: [], ...change },
  });

describe('the redemption that a payment event causes', () => {
  it('is null for a purchase whose code is plain text, as in events of unsupported versions of webhook-ingest', () => {
    const older = bought({ couponCode: 'ABCD' } as Partial<NonNullable<PaymentReceived['purchase']>>);
    expect(redemptionOf(older)).toBeNull();
  });

  it('has, for a captured purchase, the hash of the code and the time of the purchase, even if this is not the first payment', () => {
    for (const firstPayment of [true, false]) {
      expect(redemptionOf(bought({ couponHash: 'A', firstPayment }))).toEqual({
        couponHash: 'A',
        at: new Date('2026-01-01T00:00:00.000Z'),
        subscriptionId: 'sub_1',
      });
    }
  });

  it('has the code’s hash and the time that a coupon.redeemed event reports', () => {
    const redeemed = event({ type: 'coupon.redeemed', couponHash: 'B', redeemedAt: '2025-12-31T00:00:00.000Z' });
    expect(redemptionOf(redeemed)).toEqual({
      couponHash: 'B',
      at: new Date('2025-12-31T00:00:00.000Z'),
      subscriptionId: 'sub_1',
    });
  });

  it.each<[string, PaymentReceived]>([
    ['a purchase without a code', bought({})],
    ['a pending payment', bought({ couponHash: 'A', paymentStatus: 'pending' })],
    ['a failed payment', bought({ couponHash: 'A', paymentStatus: 'failed' })],
    ['a renewal', event({ type: 'subscription.renewed', couponHash: 'A' })],
  ])('is null for %s', (_name, payment) => {
    expect(redemptionOf(payment)).toBeNull();
  });
});

describe('the reason why a coupon is not redeemed', () => {
  const redemption = { couponHash: 'A', at: new Date(), subscriptionId: 'sub_1' };
  const state = (status: 'active' | 'redeemed' | 'revoked', subscriptionId: string | null = null) => ({
    hash: Buffer.alloc(32),
    codeLast4: 'ABCD',
    status,
    subscriptionId,
  });

  it.each([
    ['unknown', undefined, false],
    ['expired', state('active'), false],
    ['revoked', state('revoked'), false],
    ['repeated', state('redeemed', 'sub_1'), false],
    ['redeemed before', state('redeemed', 'sub_2'), false],
    ['expired', state('redeemed', 'sub_2'), true],
  ] as const)('is "%s" for the coupon %j (redeemed by a later payment: %j)', (reason, coupon, isRedeemedLater) => {
    expect(refusalReason(coupon, redemption, isRedeemedLater)).toBe(reason);
  });
});
