import { type Admin, Kafka } from 'kafkajs';
import type { ResolvedEventsOptions } from '../../events.options';
import { producerClient } from './kafkajs-settings';
import type { Gate } from './kafkajs-sockets';

/** Asks the brokers how far a consumer group is behind. Its connection is opened by the first question. */
export class KafkaLag {
  private admin?: Admin;

  constructor(
    private readonly options: ResolvedEventsOptions,
    private readonly gate: Gate,
  ) {}

  /** @returns by topic, how many events the group has not committed; an offset that retention has removed does not count */
  async of(topics: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const admin = await this.connected();
    const committed = await admin.fetchOffsets({ groupId: this.options.group, topics: [...topics] });
    const lags = new Map<string, number>();
    for (const { topic, partitions } of committed) {
      const ends = new Map((await admin.fetchTopicOffsets(topic)).map((end) => [end.partition, end]));
      const behind = partitions.map(({ partition, offset }) => {
        const { low = '0', high = '0' } = ends.get(partition) ?? {};
        // A group that has committed nothing has the offset -1: it begins at the first event that is kept.
        return Math.max(0, Number(high) - Math.max(Number(offset), Number(low)));
      });
      lags.set(
        topic,
        behind.reduce((sum, events) => sum + events, 0),
      );
    }
    return lags;
  }

  async close(): Promise<void> {
    await this.admin?.disconnect().catch(() => undefined);
    this.admin = undefined;
  }

  private async connected(): Promise<Admin> {
    if (this.admin) return this.admin;
    const { app, kafkaBrokers } = this.options;
    const admin = new Kafka(producerClient({ clientId: `${app}-lag`, brokers: kafkaBrokers, gate: this.gate })).admin();
    await admin.connect();
    this.admin = admin;
    return admin;
  }
}
