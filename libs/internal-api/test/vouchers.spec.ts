import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  CouponPage,
  CreateCoupons,
  CreatedCoupons,
  CreateVoucherGroup,
  ListCoupons,
  ListedVoucherGroup,
  ManagedVoucherGroupView,
  VoucherGroupChange,
  VoucherGroupList,
  VoucherGroupView,
} from '../src';

type Shape = Record<string, unknown>;

const ID = '5b0e6a0e-6f0a-4a52-9d7d-0a4f2f6c8f11';
const TIME = '2026-01-05T09:30:00.000Z';

const coupon: Shape = {
  id: ID,
  code: 'ABCD-EFGH-JKLM-NPQ9',
  voucherGroupId: ID,
  status: 'active',
  batchId: ID,
  createdAt: TIME,
  expiresAt: null,
  redeemedAt: null,
};
const group: Shape = {
  id: ID,
  name: 'A group',
  status: 'active',
  product: { name: 'Advanced', tier: '', periodMonths: 12 },
  currency: 'USD',
  issued: 0,
  redeemed: 0,
  remaining: null,
  validFrom: TIME,
  validUntil: null,
  createdAt: TIME,
};
const managed: Shape = { ...group, partnerId: 'ptn_1', environment: 'live', stock: 10, remaining: 10 };
const newGroup: Shape = {
  id: ID,
  environment: 'test',
  name: 'A group',
  status: 'active',
  product: group['product'],
  currency: 'USD',
  stock: null,
  validFrom: TIME,
  validUntil: TIME,
};
const wanted: Shape = { voucherGroupId: ID, requestedCount: null, tokenId: 'tok_1', idempotencyKey: null };

const accepts = (type: new () => object, data: unknown): boolean =>
  validateSync(plainToInstance(type, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

describe('the contract of partner-gateway and voucher-service', () => {
  it.each<[string, new () => object, Shape]>([
    ['a group', VoucherGroupView, group],
    ['a list of groups', VoucherGroupList, { items: [group] }],
    ["a manager's group", ManagedVoucherGroupView, managed],
    ["a manager's group in a list", ListedVoucherGroup, { ...managed, seq: '7' }],
    ['a new group', CreateVoucherGroup, newGroup],
    ['a change of a group', VoucherGroupChange, { before: managed, after: managed }],
    ['a request for coupons', CreateCoupons, wanted],
    ['a page', CouponPage, { items: [coupon], nextCursor: null, hasMore: false }],
    ['a creation', CreatedCoupons, { batchId: ID, requestedCount: 1e300, count: 10, items: [coupon] }],
    ['a request for a page', ListCoupons, { voucherGroupId: ID }],
  ])(
    '%s must have each of its required fields, and no other field [vouchers.group, vouchers.coupon]',
    (_name, type, data) => {
      expect(accepts(type, data)).toBe(true);
      expect(accepts(type, { ...data, addedLater: 1 })).toBe(false);
      for (const field of Object.keys(data).filter((name) => name !== 'idempotencyKey')) {
        const rest = Object.fromEntries(Object.entries(data).filter(([name]) => name !== field));
        expect([field, accepts(type, rest)]).toEqual([field, false]);
      }
    },
  );

  it.each([0, -1, 1.5, '20', true, [], {}, Infinity, NaN])('%p is not a valid number of coupons', (requestedCount) => {
    expect(accepts(CreateCoupons, { ...wanted, requestedCount })).toBe(false);
  });

  it.each(['', 'x'.repeat(256), 'a\0b', 7])('%p is not a valid idempotency key', (idempotencyKey) => {
    expect(accepts(CreateCoupons, { ...wanted, idempotencyKey })).toBe(false);
  });

  it.each([
    'ABCDEFGHJKLMNPQ9',
    'abcd-efgh-jklm-npq9',
    'ABCD-EFGH-JKLM-NPQ1',
    'ABCD-EFGH-JKLM-NPQI',
    'OBCD-EFGH-JKLM-NPQ9',
  ])('%s does not have the displayed form of a code', (code) => {
    expect(accepts(CouponPage, { items: [{ ...coupon, code }], nextCursor: null, hasMore: false })).toBe(false);
  });

  it.each(['sold', '', null])('%p is not a status to filter by', (status) => {
    expect(accepts(ListCoupons, { voucherGroupId: ID, status })).toBe(false);
  });
});
