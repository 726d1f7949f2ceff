import { Batcher, Gathering } from '@tandem/batching';
import type { Pool } from 'pg';

/** A row of the log. */
export interface LogRow {
  readonly offset: string;
  readonly key: string;
  readonly headers: Record<string, string>;
  readonly value: Buffer;
}

/** The position from which one partition is read. */
interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly position: bigint;
}

/** Maximum partitions per statement. Of each partition, a statement reads at most 1 MiB of values plus one event. */
const PARTITIONS_AT_ONCE = 16;

/**
 * The log of the Postgres bus, for one consumer group. Partitions that have new events at the same time are read
 * together, up to 16 in one statement.
 */
export class PartitionLog {
  private readonly reads: Batcher<Place, LogRow[]>;

  constructor(
    private readonly pool: Pool,
    private readonly group: string,
  ) {
    this.reads = new Batcher({ concurrency: 2, maxSize: PARTITIONS_AT_ONCE, gathering: new Gathering() }, (places) =>
      this.readAll(places),
    );
  }

  /**
   * Returns the next events of a partition from the given position on, in order; an empty list at the end of the log.
   */
  read(place: Place): Promise<LogRow[]> {
    return this.reads.add(place);
  }

  private async readAll(places: readonly Place[]): Promise<LogRow[][]> {
    const { rows } = await this.pool.query<LogRow & { place: number }>({
      name: 'bus-read',
      text: 'SELECT place, "offset", key, headers, value FROM bus.read_partitions($1, $2, $3, $4)',
      values: [
        this.group,
        places.map(({ topic }) => topic),
        places.map(({ partition }) => partition),
        places.map(({ position }) => position),
      ],
    });
    const events = places.map((): LogRow[] => []);
    for (const { place, ...row } of rows) events[place - 1]?.push(row);
    return events;
  }
}
