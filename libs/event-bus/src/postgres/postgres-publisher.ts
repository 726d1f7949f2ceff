import type { Pool } from 'pg';
import type { AppendedRow, BusPublisher } from '../bus-port';
import type { OutgoingMessage } from '../message';
import { keyHash } from '../partition';
import type { WakeSocket } from './wake-socket';

/**
 * Appends messages to the log of the Postgres bus in one statement, which is a transaction of its own, and then wakes
 * the members that hold the partitions.
 */
export class PostgresPublisher implements Pick<BusPublisher, 'publish'> {
  constructor(
    private readonly pool: Pool,
    private readonly wakes: WakeSocket,
  ) {}

  async publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const { rows } = await this.pool.query<AppendedRow>({
      name: 'bus-publish',
      text: 'SELECT * FROM bus.publish($1::text[], $2::integer[], $3::text[], $4::text[], $5::bytea[], $6)',
      values: [
        messages.map(({ topic }) => topic),
        messages.map(({ key }) => keyHash(key)),
        messages.map(({ key }) => key),
        messages.map(({ headers }) => JSON.stringify(headers)),
        messages.map(({ value }) => value),
        this.wakes.host,
      ],
    });
    this.wake(rows);
  }

  /** Sends the new ends of partitions to the members that hold these partitions: one datagram per process. */
  wake(rows: readonly AppendedRow[]): void {
    const ends = new Map<number, string[]>();
    for (const { topic, partition, next_offset, wake_port } of rows) {
      if (wake_port === null) continue;
      const lines = ends.get(wake_port) ?? [];
      lines.push(`${topic}/${partition}/${next_offset}`);
      ends.set(wake_port, lines);
    }
    for (const [port, lines] of ends) this.wakes.send(port, lines.join('\n'));
  }
}
