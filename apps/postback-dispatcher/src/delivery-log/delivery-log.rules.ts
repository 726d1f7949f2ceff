import type { DeliveryStatus, ReplayPostbackDeliveries } from '@tandem/internal-api';
import { timeOf } from '@tandem/http-api';
import type { LoggedDelivery } from './delivery-log.repository';

const DAY_MS = 86_400_000;

/** The statuses of a replay without a status: everything that was not delivered. */
const NOT_DELIVERED: readonly DeliveryStatus[] = ['failed', 'held'];

/** Deliveries created at or after `from`, and before `to`. */
export interface ReplayRange {
  readonly from: Date;
  readonly to: Date;
  readonly statuses: readonly DeliveryStatus[];
}

/** A faulty field of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Parses a range whose fields have the right form. @returns the range, or its faults by field */
export function rangeOf(
  { from, to, status }: ReplayPostbackDeliveries,
  retentionDays: number,
): ReplayRange | FieldProblem[] {
  const range = { from: timeOf(from), to: timeOf(to), statuses: status == null ? NOT_DELIVERED : [status] };
  const widthMs = range.to.getTime() - range.from.getTime();
  if (widthMs <= 0) return [{ field: 'to', message: 'to must be later than from' }];
  if (widthMs > retentionDays * DAY_MS) {
    return [{ field: 'to', message: `to must be at most ${retentionDays} days later than from` }];
  }
  return range;
}

/** Why a delivery is not sent any more, as text; null for one that is not `failed`. */
export function errorOf({
  status,
  failureReason,
  closedBy,
}: Pick<LoggedDelivery, 'status' | 'failureReason' | 'closedBy'>): string | null {
  if (status !== 'failed') return null;
  const reason = closedBy === null ? failureReason : `sale ${closedBy}`;
  return reason?.replaceAll('_', ' ') ?? null;
}
