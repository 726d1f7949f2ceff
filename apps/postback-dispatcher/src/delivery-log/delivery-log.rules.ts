import type { DeliveryStatus, ReplayPostbackDeliveries, ReplayStatus } from '@tandem/internal-api';
import { timeOf } from '@tandem/http-api';
import type { LoggedDelivery } from './delivery-log.repository';

const DAY_MS = 86_400_000;

/** The statuses that the replay of a range selects when the request has no status. */
const NOT_DELIVERED: readonly DeliveryStatus[] = ['failed', 'held'];

/**
 * The statuses that the replay of a range selects when the request has the status `all`. `pending` is left out, because pending deliveries
 * are sent anyway, at the times of their retry schedule. `delivered` comes first: otherwise the replay of delivered deliveries
 * would have to read, and skip, those that the replay of the other statuses has just sent.
 */
const ALL: readonly DeliveryStatus[] = ['delivered', ...NOT_DELIVERED];

const statusesOf = (status: ReplayStatus | null | undefined): readonly DeliveryStatus[] => {
  if (status == null) return NOT_DELIVERED;
  return status === 'all' ? ALL : [status];
};

/** A range of deliveries: those that were created at or after `from` and before `to`, and have one of these statuses. */
export interface ReplayRange {
  readonly from: Date;
  readonly to: Date;
  readonly statuses: readonly DeliveryStatus[];
}

/** An invalid field of a request. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** Checks the range of a replay as a whole. Each field must already be valid on its own. @returns the range, or the invalid fields */
export function rangeOf(
  { from, to, status }: ReplayPostbackDeliveries,
  retentionDays: number,
): ReplayRange | FieldProblem[] {
  const range = { from: timeOf(from), to: timeOf(to), statuses: statusesOf(status) };
  const widthMs = range.to.getTime() - range.from.getTime();
  if (widthMs <= 0) return [{ field: 'to', message: 'to must be later than from' }];
  if (widthMs > retentionDays * DAY_MS) {
    return [{ field: 'to', message: `to must be at most ${retentionDays} days later than from` }];
  }
  return range;
}

/**
 * Returns, as text, why a delivery failed or was stopped; null unless the delivery is `failed`. If its sale is closed, the text names the
 * closing, even if the delivery had already failed when the sale was closed.
 */
export function errorOf({
  status,
  failureReason,
  closedBy,
}: Pick<LoggedDelivery, 'status' | 'failureReason' | 'closedBy'>): string | null {
  if (status !== 'failed') return null;
  const reason = closedBy === null ? failureReason : `sale ${closedBy}`;
  return reason?.replaceAll('_', ' ') ?? null;
}
