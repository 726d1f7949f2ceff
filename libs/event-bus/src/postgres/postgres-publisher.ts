import type { Pool } from 'pg';
import type { OutgoingMessage } from '../message';
import type { BusPublisher } from '../bus.port';
import { partitionOf } from '../partition';

/** Appends to the log of the Postgres bus: one statement, one short transaction. */
export class PostgresPublisher implements Pick<BusPublisher, 'publish'> {
  private partitions?: Map<string, number>;

  constructor(private readonly pool: Pool) {}

  async publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const partitions = await this.knowPartitions(messages);
    await this.pool.query({
      name: 'bus-append',
      text: 'SELECT bus.append($1::text[], $2::integer[], $3::text[], $4::text[], $5::bytea[])',
      values: [
        messages.map(({ topic }) => topic),
        messages.map(({ topic, key }) => partitionOf(key, partitions.get(topic) ?? 1)),
        messages.map(({ key }) => key),
        messages.map(({ headers }) => JSON.stringify(headers)),
        messages.map(({ value }) => value),
      ],
    });
  }

  /** Partitions of each topic; read again for an unknown topic. */
  private async knowPartitions(messages: readonly OutgoingMessage[]): Promise<Map<string, number>> {
    const known = this.partitions;
    if (known && messages.every(({ topic }) => known.has(topic))) return known;
    const { rows } = await this.pool.query<{ topic: string; partitions: number }>(
      'SELECT topic, partitions FROM bus.partitions()',
    );
    this.partitions = new Map(rows.map(({ topic, partitions }) => [topic, partitions]));
    return this.partitions;
  }
}
