import { DEAD_LETTER_RETENTION_DAYS } from '@tandem/messaging';
import type { Partition, PartitionedTable } from './partition.repository';

const DAY_MS = 86_400_000;

/**
 * The margin by which searches for attempts extend a range of times, in ms. It is needed because an attempt's time comes from the clock of
 * the process that made the attempt, and this clock may differ from the database's clock. An hour does no harm, because the margin only
 * determines which partitions are searched. Searches for deliveries use the same margin.
 */
export const CLOCK_TOLERANCE_MS = 3_600_000;
/** {@link CLOCK_TOLERANCE_MS} as an SQL expression. */
export const CLOCK_TOLERANCE = `interval '${CLOCK_TOLERANCE_MS} milliseconds'`;

export interface PartitionPlan {
  readonly table: PartitionedTable;
  readonly existing: readonly Partition[];
  readonly now: Date;
  /** The number of days that one partition covers. */
  readonly days: number;
}

/**
 * How many partitions are created in advance, after the current partition. The time that they cover is much longer than the interval
 * between two maintenance runs.
 */
const AHEAD = 4;

/**
 * Returns the partitions that are missing for rows from now until AHEAD partition widths from now. The first one starts where the newest
 * existing partition ends.
 */
export function missingPartitions({ table, existing, now, days }: PartitionPlan): Partition[] {
  const width = days * DAY_MS;
  const newest = existing.at(-1)?.to.getTime();
  // If no partition exists, the first one is for the time before the current partition, because the clock of a process may be behind.
  let from = newest ?? Math.floor(now.getTime() / width) * width - width;
  const missing: Partition[] = [];
  for (; from <= now.getTime() + AHEAD * width; from += width) {
    const name = `${table}_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
    missing.push({ name, from: new Date(from), to: new Date(from + width) });
  }
  return missing;
}

/** Returns the partitions that contain only rows older than the retention. */
export function expiredPartitions<P extends Partition>(existing: readonly P[], now: Date, retentionDays: number): P[] {
  return existing.filter(({ to }) => to.getTime() <= now.getTime() - retentionDays * DAY_MS);
}

/** Returns the start of the retention. Deliveries from before this time are no longer shown, and may already be deleted. */
export const retentionStart = (now: Date, retentionDays: number): Date =>
  new Date(now.getTime() - retentionDays * DAY_MS);

/**
 * Returns the minimum number of days for which `sale_delivery` keeps the delivery id of a sale. If an older sale has no delivery id in this
 * table, its delivery is assumed to have been dropped. The number is never less than the retention of dead letters, by default 90
 * days. During this time, the `sale.completed` of the sale may still arrive, because its dead letter may be replayed. If
 * `deadLetterRetentionDays` is raised, `POSTBACK_RETENTION_DAYS` (`retentionDays`) must be raised to the same number.
 */
export const saleKeptDays = (retentionDays: number): number => Math.max(retentionDays, DEAD_LETTER_RETENTION_DAYS);
