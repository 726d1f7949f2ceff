import type { CouponView, CouponPage, CreatedCoupons, VoucherGroupList, VoucherGroupView } from '@tandem/internal-api';

export const GROUP_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

const COUPON: CouponView = {
  id: '550e8400-e29b-41d4-a716-446655440000',
  code: 'ABCD-EFGH-JKLM-NPQR',
  voucherGroupId: GROUP_ID,
  status: 'active',
  batchId: '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
  createdAt: '2026-03-01T12:00:00.000Z',
  expiresAt: null,
  redeemedAt: null,
};

export const VOUCHER_GROUP_EXAMPLE: VoucherGroupView = {
  id: GROUP_ID,
  name: 'Spring campaign',
  status: 'active',
  product: { name: 'Advanced, 1 year', tier: 'advanced', periodMonths: 12 },
  currency: 'USD',
  issued: 120,
  redeemed: 40,
  remaining: 880,
  validFrom: '2026-03-01T00:00:00.000Z',
  validUntil: null,
  createdAt: '2026-02-20T09:30:00.000Z',
};

export const VOUCHER_GROUPS_EXAMPLE: VoucherGroupList = { items: [VOUCHER_GROUP_EXAMPLE] };

export const COUPON_PAGE_EXAMPLE: CouponPage = {
  items: [COUPON, { ...COUPON, id: '550e8400-e29b-41d4-a716-446655440001', code: 'STUV-WXYZ-2345-6789' }],
  nextCursor: 'AZx1YxQ3bQ',
  hasMore: true,
};

export const CREATED_COUPONS_EXAMPLE: CreatedCoupons = {
  batchId: COUPON.batchId,
  requestedCount: 1,
  count: 1,
  items: [COUPON],
};
