import { type Admin, Kafka } from 'kafkajs';
import type { BusOptions } from '../bus.options';
import { producerClient } from './kafkajs-settings';
import type { Gate } from './kafkajs-sockets';

/**
 * Asks the brokers how far the app's consumer group is behind, on a connection of its own, which is closed afterwards: an idle one would be
 * taken for a silent broker.
 *
 * @param gate closed when the app stops
 * @returns by topic, how many events the group has not committed; those that retention has removed do not count
 * @throws when no broker answers: within 15 s also of one that takes connections and hangs, because other measures wait meanwhile
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
    // A group that has committed nothing has the offset -1: it begins at the first event that is kept.
    return Math.max(0, Number(high) - Math.max(Number(offset), Number(low)));
  });
  return lags.reduce((sum, events) => sum + events, 0);
}
