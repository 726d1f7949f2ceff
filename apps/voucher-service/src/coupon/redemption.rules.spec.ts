import type { PaymentReceived } from '@tandem/contracts';
import { redemptionOf } from './redemption.rules';

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

describe('the redemption of a payment event', () => {
  it('is that of a captured purchase with a code, at its time, first payment or not', () => {
    for (const firstPayment of [true, false]) {
      expect(redemptionOf(bought({ couponCode: 'A', firstPayment }))).toEqual({
        code: 'A',
        at: new Date('2026-01-01T00:00:00.000Z'),
        subscriptionId: 'sub_1',
      });
    }
  });

  it('is what coupon.redeemed says, at its own time', () => {
    const redeemed = event({ type: 'coupon.redeemed', couponCode: 'B', redeemedAt: '2025-12-31T00:00:00.000Z' });
    expect(redemptionOf(redeemed)).toEqual({
      code: 'B',
      at: new Date('2025-12-31T00:00:00.000Z'),
      subscriptionId: 'sub_1',
    });
  });

  it.each<[string, PaymentReceived]>([
    ['a purchase without a code', bought({})],
    ['a purchase with an empty code', bought({ couponCode: '' })],
    ['a pending payment', bought({ couponCode: 'A', paymentStatus: 'pending' })],
    ['a failed payment', bought({ couponCode: 'A', paymentStatus: 'failed' })],
    ['a renewal', event({ type: 'subscription.renewed', couponCode: 'A' })],
  ])('is none for %s', (_name, payment) => {
    expect(redemptionOf(payment)).toBeNull();
  });
});
