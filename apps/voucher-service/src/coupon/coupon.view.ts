import type { CouponStatus, CouponView } from '@tandem/contracts';
import { shownCode } from './coupon-code';

/** What a view is made of. */
export interface ViewedCoupon {
  id: string;
  code: string;
  groupId: string;
  batchId: string;
  status: CouponStatus;
  createdAt: Date;
  expiresAt: Date | null;
  redeemedAt: Date | null;
}

/** What a partner sees. */
export const couponView = (coupon: ViewedCoupon): CouponView => ({
  id: coupon.id,
  code: shownCode(coupon.code),
  voucherGroupId: coupon.groupId,
  status: coupon.status,
  batchId: coupon.batchId,
  createdAt: coupon.createdAt.toISOString(),
  expiresAt: coupon.expiresAt?.toISOString() ?? null,
  redeemedAt: coupon.redeemedAt?.toISOString() ?? null,
});
