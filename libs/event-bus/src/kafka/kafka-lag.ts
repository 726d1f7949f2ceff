import { type Admin, Kafka } from 'kafkajs';
import type { BusOptions } from '../bus-options';
import { producerClient } from './kafkajs-settings';
import type { Gate } from './kafkajs-sockets';

/**
 * Reads the lag of the app's consumer group from the brokers, on separate connections that are closed afterwards.
 *
 * @param gate closed when the app stops
 * @returns by topic, the number of retained events that the group has not committed
 * @throws within about 15 s when no broker answers, even if a broker accepts connections. The time is limited because
 *   the app measures nothing more before this read has ended
 */
export async function lagOf(
  { app, group, kafkaBrokers, kafkaLogin }: BusOptions,
  topics: readonly string[],
  gate: Gate,
): Promise<ReadonlyMap<string, number>> {
  const client = { clientId: `${app}-lag`, brokers: kafkaBrokers, login: kafkaLogin, gate };
  const settings = producerClient(client);
  const admin = new Kafka({ ...settings, requestTimeout: 5_000, retry: { ...settings.retry, retries: 1 } }).admin();
  try {
    await admin.connect();
    const committed = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
    const lags = await Promise.all(
      committed.map(async ({ topic, partitions }) => [topic, await behind(admin, topic, partitions)] as const),
    );
    return new Map(lags);
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

async function behind(
  admin: Admin,
  topic: string,
  committed: readonly { partition: number; offset: string }[],
): Promise<number> {
  const ends = new Map((await admin.fetchTopicOffsets(topic)).map((end) => [end.partition, end]));
  const lags = committed.map(({ partition, offset }) => {
    const { low = '0', high = '0' } = ends.get(partition) ?? {};
    // A group that has committed nothing has the offset -1, and starts at the oldest retained event.
    return Math.max(0, Number(high) - Math.max(Number(offset), Number(low)));
  });
  return lags.reduce((sum, events) => sum + events, 0);
}
