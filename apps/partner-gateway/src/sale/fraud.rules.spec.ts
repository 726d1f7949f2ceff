import { BuyerSales, findHoldReason, type Suspicion } from './fraud.rules';
import type { Sale } from './sale.entity';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE = 60_000;
const limits = { maxSalesPerHour: 5, disposableDomains: ['mailinator.com'] };
const calm: Suspicion = {
  emailHash: 'a',
  emailMasked: 'j***e@example.com',
  soldAt: new Date(NOON),
  partnerEmailHash: 'b',
  otherSales: [],
};
/** Returns the hold reason of a sale at noon. `minutes` are the times of the buyer's other sales, relative to noon. */
const withOthersAt = (...minutes: number[]) =>
  findHoldReason({ ...calm, otherSales: minutes.map((minute) => NOON + minute * MINUTE) }, limits);

describe('findHoldReason', () => {
  it('does not hold an ordinary sale', () => {
    expect(findHoldReason(calm, limits)).toBeNull();
  });

  it("holds a purchase with the partner's own address", () => {
    expect(findHoldReason({ ...calm, partnerEmailHash: 'a' }, limits)).toBe('buyer_is_partner');
  });

  it('does not treat two unknown addresses as the same', () => {
    expect(findHoldReason({ ...calm, emailHash: null, partnerEmailHash: null }, limits)).toBeNull();
  });

  it.each([
    'j***e@mailinator.com',
    '***@MAILINATOR.com',
    'j***e@eu.mailinator.com',
    'j***e@mailinator.com.',
    'j***e@mail\u200binator\uff0ecom',
    'j***e@\uff4dailinator\u3002com',
  ])('holds a sale to the address %s [sales.hold-disposable]', (email) => {
    expect(findHoldReason({ ...calm, emailMasked: email }, limits)).toBe('disposable_email');
  });

  it.each(['j***e@notmailinator.com', 'm***m@mailinator.com.example.com', null])(
    'does not hold a sale to the address %s [sales.hold-disposable]',
    (email) => {
      expect(findHoldReason({ ...calm, emailMasked: email }, limits)).toBeNull();
    },
  );

  it.each([
    ['before it', [-50, -40, -30, -20], [-50, -40, -30, -20, -10]],
    ['after it', [10, 20, 30, 40], [10, 20, 30, 40, 50]],
    ['around it', [-20, -10, 10, 20], [-20, -10, 10, 20, 30]],
    ['at its time', [0, 0, 0, 0], [0, 0, 0, 0, 0]],
  ])('holds the sixth sale within an hour, but not the fifth, when the other sales are %s', (_title, four, five) => {
    expect(withOthersAt(...four)).toBeNull();
    expect(withOthersAt(...five)).toBe('too_many_sales');
  });

  it('does not hold a sale that has three other sales 50 minutes before it and three 50 minutes after it', () => {
    expect(withOthersAt(-50, -50, -50, 50, 50, 50)).toBeNull();
  });

  it('ignores an hour that has too many sales but does not contain this sale', () => {
    expect(withOthersAt(1, 61, 61, 61, 61, 61, 61)).toBeNull();
  });

  it.each([
    ['before', [-60, -40, -30, -20, -10]],
    ['after', [60, 40, 30, 20, 10]],
  ])('does not count another sale that is exactly one hour %s this sale', (_title, others) => {
    expect(withOthersAt(...others)).toBeNull();
    expect(withOthersAt(...others.map((minute) => minute * (1 - 1e-4)))).toBe('too_many_sales');
  });

  it('counts only one of two other sales that are exactly one hour apart', () => {
    expect(withOthersAt(-30, -20, -10, 10, 30)).toBeNull();
    expect(withOthersAt(-30, -20, -10, 10, 29)).toBe('too_many_sales');
  });
});

describe('BuyerSales', () => {
  const sale = (oid: string, minute: number, change: Partial<Sale> = {}) =>
    ({
      oid,
      emailHash: 'a',
      environment: 'live',
      soldAt: new Date(NOON + minute * MINUTE),
      partnerId: 'ptn_1',
      paymentStatus: 'captured',
      ...change,
    }) as Sale;

  it("returns the buyer's other sales in the same environment", () => {
    const sales = new BuyerSales([
      sale('1', 1),
      sale('2', 2, { environment: 'test' }),
      sale('3', 3, { emailHash: 'b' }),
    ]);
    expect(sales.othersOf(sale('4', 4))).toEqual([{ oid: '1', at: NOON + MINUTE }]);
    expect(sales.othersOf(sale('1', 1))).toEqual([]);
    expect(sales.othersOf(sale('4', 4, { emailHash: null }))).toEqual([]);
  });

  it('replaces the previous state of a sale with the new state', () => {
    const sales = new BuyerSales([]);
    const pending = sale('1', 1, { paymentStatus: 'pending' });
    sales.replace(undefined, pending);
    expect(sales.othersOf(sale('4', 4))).toEqual([]);
    sales.replace(pending, sale('1', 2));
    sales.replace(sale('1', 2), sale('1', 3));
    expect(sales.othersOf(sale('4', 4))).toEqual([{ oid: '1', at: NOON + 3 * MINUTE }]);
    sales.replace(sale('1', 3), sale('1', 3, { emailHash: 'b' }));
    expect(sales.othersOf(sale('4', 4))).toEqual([]);
  });
});
