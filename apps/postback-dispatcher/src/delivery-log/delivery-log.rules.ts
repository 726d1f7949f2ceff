import type { DeliveryStatus, ReplayPostbackDeliveries } from '@tandem/internal-api';

const DAY_MS = 86_400_000;

/** The statuses of a replay that names none: everything that was not delivered. */
const NOT_DELIVERED: readonly DeliveryStatus[] = ['failed', 'held'];

/** Deliveries that were created from `from` on, and before `to`. */
export interface ReplayRange {
  readonly from: Date;
  readonly to: Date;
  readonly statuses: readonly DeliveryStatus[];
}

/** A fault of a field of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Reads a range whose fields have their form. @returns the range, or its faults by field */
export function rangeOf(
  { from, to, status }: ReplayPostbackDeliveries,
  retentionDays: number,
): ReplayRange | FieldProblem[] {
  const range = {
    from: new Date(from),
    to: new Date(to),
    statuses: status == null ? NOT_DELIVERED : [status],
  };
  const unread = (['from', 'to'] as const).filter((field) => Number.isNaN(range[field].getTime()));
  if (unread.length > 0) return unread.map((field) => ({ field, message: `${field} must be an ISO 8601 date-time` }));
  const widthMs = range.to.getTime() - range.from.getTime();
  if (widthMs <= 0) return [{ field: 'to', message: 'to must be later than from' }];
  if (widthMs > retentionDays * DAY_MS) {
    return [{ field: 'to', message: `to must be at most ${retentionDays} days later than from` }];
  }
  return range;
}
