import type { CouponStatus, CouponView } from '@tandem/internal-api';
import { shownCode } from './coupon-code';

/** The fields of a coupon that the view shows. */
export interface ViewedCoupon {
  id: string;
  code: string;
  batchId: string;
  createdAt: Date;
  redeemedAt: Date | null;
}

/** The fields of the view that all coupons of a group share. */
export interface ViewedGroup {
  groupId: string;
  /** An RFC 3339 date-time. */
  expiresAt: string | null;
}

/** Returns a coupon as a partner sees it. */
export const couponView = (
  { id, code, batchId, createdAt, redeemedAt }: ViewedCoupon,
  { groupId, expiresAt }: ViewedGroup,
  status: CouponStatus,
): CouponView => ({
  id,
  code: shownCode(code),
  voucherGroupId: groupId,
  status,
  batchId,
  createdAt: createdAt.toISOString(),
  expiresAt,
  redeemedAt: redeemedAt?.toISOString() ?? null,
});
