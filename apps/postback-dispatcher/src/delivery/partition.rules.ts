import type { Partition, PartitionedTable } from './partition.repository';

const DAY_MS = 86_400_000;

/** Attempts are searched with this margin, because their times come from a process, whose clock may differ from the database's. */
export const CLOCK_TOLERANCE_MS = 60_000;
/** The same in SQL. */
export const CLOCK_TOLERANCE = `interval '${CLOCK_TOLERANCE_MS} milliseconds'`;

export interface PartitionPlan {
  readonly table: PartitionedTable;
  readonly existing: readonly Partition[];
  readonly now: Date;
  /** Width of a partition. */
  readonly days: number;
}

/** How far ahead partitions are created: several times the interval between two maintenance runs. */
const AHEAD = 4;

/** Returns the partitions to create for rows of now and of the next weeks. The first starts where the newest existing one ends. */
export function missingPartitions({ table, existing, now, days }: PartitionPlan): Partition[] {
  const width = days * DAY_MS;
  const newest = existing.at(-1)?.to.getTime();
  // Starts one partition early, for rows of a clock that is behind.
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

/** Returns the start of the retention: everything before it has expired. */
export const retentionStart = (now: Date, retentionDays: number): Date =>
  new Date(now.getTime() - retentionDays * DAY_MS);
