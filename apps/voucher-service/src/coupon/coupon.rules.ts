import type { CouponStatus } from '@tandem/internal-api';

/** Returns how many coupons a request creates: the requested number or, if it is missing or above the maximum, the default number. */
export function countOf(requested: number | null, limits: { defaultCount: number; maxCount: number }): number {
  return requested === null || requested > limits.maxCount ? limits.defaultCount : requested;
}

/** A coupon's status in the database, which never stores `expired`. */
export type StoredStatus = Exclude<CouponStatus, 'expired'>;

/** The rows that a status filter selects. A row with the stored status `active` counts as expired once its group has ended. */
export interface StatusFilter {
  stored: StoredStatus;
  /** True selects only rows of a group that has ended, false only rows of a group that has not ended, null both. */
  ended: boolean | null;
}

export function filterOf(status: CouponStatus): StatusFilter {
  if (status === 'active') return { stored: 'active', ended: false };
  if (status === 'expired') return { stored: 'active', ended: true };
  return { stored: status, ended: null };
}

export const statusOf = (stored: StoredStatus, ended: boolean): CouponStatus =>
  stored === 'active' && ended ? 'expired' : stored;
