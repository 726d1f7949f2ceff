import type { DeliveryStatus, ReplayPostbackDeliveries } from '@tandem/internal-api';
import { timeOf } from '@tandem/http-api';
import type { LoggedDelivery } from './delivery-log.repository';

const DAY_MS = 86_400_000;

/** The statuses that a replay without a status selects: everything that was not delivered. */
const NOT_DELIVERED: readonly DeliveryStatus[] = ['failed', 'held'];

/** Selects the deliveries created at or after `from` and before `to`. */
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

/** Parses a range whose fields are already validated one by one. @returns the range, or its faults by field */
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

/** Returns as text why a delivery is no longer sent; null unless it is `failed`. */
export function errorOf({
  status,
  failureReason,
  closedBy,
}: Pick<LoggedDelivery, 'status' | 'failureReason' | 'closedBy'>): string | null {
  if (status !== 'failed') return null;
  const reason = closedBy === null ? failureReason : `sale ${closedBy}`;
  return reason?.replaceAll('_', ' ') ?? null;
}
