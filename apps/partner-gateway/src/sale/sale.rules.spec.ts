import type { PaymentReceived, Purchase } from '@tandem/contracts';
import type { AttributionResult } from './attribution.rules';
import type { ClosedBy, PaymentStatus, Sale } from './sale.entity';
import {
  assess,
  closedEvent,
  completedEvent,
  isRevokeWindowClosed,
  newSale,
  purchaseFacts,
  toSaleCompleted,
  withClosure,
  withPurchase,
} from './sale.rules';

const at = (minute: number): Date => new Date(Date.UTC(2026, 2, 1, 12, minute));

const emptySale = newSale('sub_1');

const facts: Sale = {
  ...emptySale,
  status: 'pending',
  partnerId: 'ptn_1',
  paymentStatus: 'captured',
  soldAt: at(1),
  amount: '99.90',
};

const purchase: Purchase = {
  currency: 'USD',
  amount: '99.90',
  paymentStatus: 'captured',
  firstPayment: true,
  items: [{ price: '99.9', quantity: 2, category: 'Advanced', tier: '1 year' }],
};

const attribution: AttributionResult = {
  attribution: {
    partnerId: 'ptn_1',
    promotionId: 'prm_1',
    environment: 'live',
    sharedId: 'ref',
    attributedBy: 'checkout',
    attributedAt: at(1),
  },
  reason: null,
};
const nobody: AttributionResult = { attribution: null, reason: 'token_expired' };

const event = { customer: { emailMasked: 'j***e@example.com', emailHash: 'a'.repeat(64) } } as PaymentReceived;

describe('assess', () => {
  it('returns `qualified` for a captured first purchase that is attributed to an active partner', () => {
    expect(assess(facts, true)).toEqual({ status: 'qualified', failureReason: null });
  });

  it.each<[string, Partial<Sale>, boolean, string, string | null]>([
    ['a pending payment', { paymentStatus: 'pending' }, true, 'pending', null],
    ['a failed payment', { paymentStatus: 'failed' }, true, 'failed', 'payment_failed'],
    ['a total of zero', { amount: '0.00' }, true, 'failed', 'nothing_paid'],
    ['an inactive partner', {}, false, 'failed', 'partner_inactive'],
    ['a hold', { holdReason: 'disposable_email' }, true, 'held', null],
    [
      'a hold that a manager released',
      { holdReason: 'disposable_email', holdDecision: 'released' },
      true,
      'qualified',
      null,
    ],
    [
      'a hold that a manager refused',
      { holdReason: 'disposable_email', holdDecision: 'refused' },
      true,
      'failed',
      'refused',
    ],
    ['no partner', { partnerId: null }, true, 'unattributed', null],
    ['a later refund', { closedBy: 'refunded', closedAt: at(2) }, true, 'refunded', null],
    ['a refund at the time of the purchase', { closedBy: 'refunded', closedAt: at(1) }, true, 'refunded', null],
    ['an earlier refund', { closedBy: 'refunded', closedAt: at(0) }, true, 'qualified', null],
    ['a later chargeback', { closedBy: 'charged_back', closedAt: at(2) }, true, 'charged_back', null],
    [
      'a refund of a pending sale',
      { paymentStatus: 'pending', closedBy: 'refunded', closedAt: at(2) },
      true,
      'refunded',
      null,
    ],
    [
      'a refund of a held sale',
      { holdReason: 'disposable_email', closedBy: 'refunded', closedAt: at(2) },
      true,
      'refunded',
      null,
    ],
    ['a qualified sale whose partner is now inactive', { qualifiedAt: at(2) }, false, 'qualified', null],
    [
      'a refund of a revoked sale',
      { status: 'revoked', qualifiedAt: at(2), closedBy: 'refunded', closedAt: at(9) },
      true,
      'revoked',
      null,
    ],
  ])(
    'judges %s (%j, partner active: %s) as %s [sales.states, sales.captured, sales.not-held]',
    (_title, change, partnerActive, status, failureReason) => {
      expect(assess({ ...facts, ...change }, partnerActive)).toEqual({ status, failureReason });
    },
  );
});

describe('withPurchase', () => {
  const bought = (status: PaymentStatus, minute: number) =>
    purchaseFacts(event, { ...purchase, paymentStatus: status }, at(minute));

  it('adds the first purchase and its partner to the sale', () => {
    expect(withPurchase(emptySale, bought('pending', 1), attribution)).toMatchObject({
      partnerId: 'ptn_1',
      paymentStatus: 'pending',
      soldAt: at(1),
      currency: 'USD',
      emailMasked: 'j***e@example.com',
    });
  });

  it.each<[PaymentStatus, number, PaymentStatus, number, PaymentStatus]>([
    ['pending', 1, 'captured', 2, 'captured'],
    ['captured', 2, 'pending', 1, 'captured'],
    ['failed', 1, 'captured', 2, 'captured'],
    ['failed', 2, 'captured', 1, 'captured'],
    ['captured', 1, 'failed', 2, 'captured'],
    ['captured', 1, 'pending', 2, 'captured'],
    ['pending', 1, 'captured', 1, 'captured'],
    ['captured', 1, 'pending', 1, 'captured'],
    ['captured', 1, 'failed', 1, 'captured'],
    ['pending', 1, 'failed', 1, 'failed'],
  ])('given %s at minute %i, then %s at minute %i, keeps %s', (first, firstAt, second, secondAt, kept) => {
    const sale = withPurchase(emptySale, bought(first, firstAt), attribution);
    expect(withPurchase(sale, bought(second, secondAt), attribution).paymentStatus).toBe(kept);
  });

  it('keeps the partner when a later event of the purchase names no partner', () => {
    const sale = withPurchase(emptySale, bought('pending', 1), attribution);
    expect(withPurchase(sale, bought('captured', 2), nobody)).toMatchObject({
      partnerId: 'ptn_1',
      unattributedReason: null,
    });
  });

  it('adds the partner of an older event when the newer event named no partner', () => {
    const sale = withPurchase(emptySale, bought('captured', 2), nobody);
    expect(withPurchase(sale, bought('pending', 1), attribution)).toMatchObject({
      partnerId: 'ptn_1',
      unattributedReason: null,
      paymentStatus: 'captured',
    });
  });

  describe('with a captured purchase', () => {
    const by = (partnerId: string, minute: number, attributedBy: 'checkout' | 'code' = 'checkout') =>
      ({
        attribution: { ...attribution.attribution, partnerId, attributedBy, attributedAt: at(minute) },
        reason: null,
      }) as AttributionResult;

    it.each<[string, AttributionResult, AttributionResult, string | null]>([
      ['failed purchase of a partner', nobody, by('ptn_2', 3), null],
      ['failed purchase with a stronger reference', by('ptn_1', 2, 'code'), by('ptn_2', 3), 'ptn_1'],
      ['failed purchase without a partner', by('ptn_1', 2), nobody, 'ptn_1'],
    ])(
      'keeps the captured purchase and its partner when there is a newer %s, in either order of arrival',
      (_title, ofCaptured, ofFailed, partnerId) => {
        const [captured, failed] = [bought('captured', 2), bought('failed', 3)];
        const inOrder = withPurchase(withPurchase(emptySale, captured, ofCaptured), failed, ofFailed);
        const reversed = withPurchase(withPurchase(emptySale, failed, ofFailed), captured, ofCaptured);
        expect(inOrder).toMatchObject({ partnerId, paymentStatus: 'captured', soldAt: at(2) });
        expect(reversed).toEqual(inOrder);
      },
    );

    it.each<[string, AttributionResult, AttributionResult, string]>([
      ['of an older pending purchase if the captured one names none', nobody, by('ptn_2', 1), 'ptn_2'],
      ['of an older pending purchase with a stronger reference', by('ptn_1', 2, 'code'), by('ptn_2', 1), 'ptn_2'],
      [
        'of the captured purchase if an older pending one has a weaker reference',
        by('ptn_1', 2),
        by('ptn_2', 1, 'code'),
        'ptn_1',
      ],
    ])('keeps the partner %s, in either order of arrival', (_title, ofCaptured, ofPending, partnerId) => {
      const [captured, pending] = [bought('captured', 2), bought('pending', 1)];
      const inOrder = withPurchase(withPurchase(emptySale, pending, ofPending), captured, ofCaptured);
      const reversed = withPurchase(withPurchase(emptySale, captured, ofCaptured), pending, ofPending);
      expect(inOrder).toMatchObject({ partnerId, paymentStatus: 'captured', soldAt: at(2) });
      expect(reversed).toEqual(inOrder);
    });
  });

  it('takes `unattributedReason` from the purchase that counts', () => {
    const sale = withPurchase(emptySale, bought('captured', 2), nobody);
    expect(sale).toMatchObject({ status: 'unattributed', partnerId: null, unattributedReason: 'token_expired' });
    const unknown = { attribution: null, reason: 'unknown_code' } as const;
    expect(withPurchase(sale, bought('pending', 1), unknown).unattributedReason).toBe('token_expired');
    expect(withPurchase(sale, bought('captured', 3), unknown).unattributedReason).toBe('unknown_code');
  });
});

describe('withClosure', () => {
  it.each<[ClosedBy, number, ClosedBy, number, ClosedBy]>([
    ['refunded', 1, 'charged_back', 2, 'charged_back'],
    ['charged_back', 2, 'refunded', 1, 'charged_back'],
    ['refunded', 1, 'charged_back', 1, 'charged_back'],
    ['charged_back', 1, 'refunded', 1, 'charged_back'],
  ])('given %s at minute %i, then %s at minute %i, keeps %s', (first, firstAt, second, secondAt, kept) => {
    const sale = withClosure(emptySale, first, at(firstAt));
    expect(withClosure(sale, second, at(secondAt)).closedBy).toBe(kept);
  });
});

describe('purchaseFacts', () => {
  it('converts items to the form of the postback [postback-body.price, postback-body.quantity]', () => {
    const bare = { price: '5', category: 'VPN' } as Purchase['items'][number];
    const many = { ...bare, quantity: 1e21 };
    expect(purchaseFacts(event, { ...purchase, items: [...purchase.items, bare, many] }, at(1)).items).toEqual([
      { price: '99.90', quantity: '2', category: 'Advanced', tier: '1 year', sku: 'Sell' },
      { price: '5.00', quantity: '1', category: 'VPN', tier: '', sku: 'Sell' },
      { price: '5.00', quantity: '1000000000000000000000', category: 'VPN', tier: '', sku: 'Sell' },
    ]);
  });
});

describe('isRevokeWindowClosed', () => {
  it('returns false up to and including the last moment of the window, and true after it [revoke.window]', () => {
    expect(isRevokeWindowClosed(at(0), 30, new Date(at(0).getTime() + 30 * 86_400_000))).toBe(false);
    expect(isRevokeWindowClosed(at(0), 30, new Date(at(0).getTime() + 30 * 86_400_000 + 1))).toBe(true);
  });

  it('returns true a minute after the sale when the window is 0 days [revoke.window-of-partner]', () => {
    expect(isRevokeWindowClosed(at(0), 0, at(1))).toBe(true);
  });
});

describe('toSaleCompleted', () => {
  it('throws for an incomplete sale', () => {
    expect(() => toSaleCompleted({ ...emptySale, qualifiedAt: at(1) })).toThrow('not complete');
  });
});

describe('the id of an event about a sale', () => {
  const sale = {
    ...withPurchase(emptySale, purchaseFacts({ customer: {} } as PaymentReceived, purchase, at(1)), attribution),
    qualifiedAt: at(2),
    closedBy: 'refunded' as ClosedBy,
    closedAt: at(3),
  };

  it('is the same when the sale qualifies or closes again later', () => {
    const again = { ...sale, version: 7, qualifiedAt: at(9) };
    expect(completedEvent(again).id).toBe(completedEvent(sale).id);
    expect(closedEvent(again).id).toBe(closedEvent(sale).id);
  });

  it('differs between sales, between topics, and between a refund and a chargeback', () => {
    const events = [
      completedEvent(sale),
      completedEvent({ ...sale, oid: 'sub_2' }),
      closedEvent(sale),
      closedEvent({ ...sale, closedBy: 'charged_back' }),
    ];
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });
});
