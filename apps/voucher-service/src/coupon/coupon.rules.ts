import type { CouponStatus } from '@tandem/internal-api';

/** How many coupons a creation makes that asks for so many, or does not say. Too many is not refused: it is the default. */
export function countOf(requested: number | null, limits: { defaultCount: number; maxCount: number }): number {
  return requested === null || requested > limits.maxCount ? limits.defaultCount : requested;
}

/** What is stored of a status. */
export type StoredStatus = Exclude<CouponStatus, 'expired'>;

/** Which rows a status filter means: `active` ones are expired when their group has ended. */
export interface StatusFilter {
  stored: StoredStatus;
  /** Whether the group must have ended; null: either way. */
  ended: boolean | null;
}

export function filterOf(status: CouponStatus): StatusFilter {
  if (status === 'active') return { stored: 'active', ended: false };
  if (status === 'expired') return { stored: 'active', ended: true };
  return { stored: status, ended: null };
}

export const statusOf = (stored: StoredStatus, ended: boolean): CouponStatus =>
  stored === 'active' && ended ? 'expired' : stored;
