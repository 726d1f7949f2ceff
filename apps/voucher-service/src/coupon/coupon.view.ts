import type { CouponStatus, CouponView } from '@tandem/internal-api';
import { shownCode } from './coupon-code';

/** The coupon that a view shows. */
export interface ViewedCoupon {
  id: string;
  code: string;
  batchId: string;
  createdAt: Date;
  redeemedAt: Date | null;
}

/** What the coupons of a group have in common. */
export interface ViewedGroup {
  groupId: string;
  /** RFC 3339. */
  expiresAt: string | null;
}

/** A coupon as a partner sees it. */
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
