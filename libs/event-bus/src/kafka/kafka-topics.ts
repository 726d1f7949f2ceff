import { sleep } from '@tandem/batching';
import { type Admin, Kafka, KafkaJSAggregateError } from 'kafkajs';
import type { KafkaLogin } from '../bus-options';
import { producerClient } from './kafkajs-settings';

/** A topic to create. */
export interface TopicPlan {
  readonly topic: string;
  readonly partitions: number;
  readonly deadLetters: boolean;
}

const ATTEMPTS = 20;
/**
 * Maximum message size of a dead-letter topic. A dead letter is the event with additional headers, so it can be larger
 * than the event.
 */
const DEAD_LETTER_MAX_BYTES = 2 * 1024 * 1024;

const CONFIG = [
  // The brokers' default may be lz4, snappy or zstd, which kafkajs cannot decode. kafkajs can decode gzip, but its
  // producer does not compress, so the brokers would have to compress every batch.
  { name: 'compression.type', value: 'uncompressed' },
  // The retention counts from the time at which the broker received an event. The default is the time of the publisher:
  // if its clock were slow, the brokers would delete its events early; if its clock were fast, they might refuse its
  // events.
  { name: 'message.timestamp.type', value: 'LogAppendTime' },
];

/**
 * Creates missing topics, and leaves existing ones unchanged. On a cluster of three or more brokers, a new topic has
 * three replicas, at least two of which must acknowledge each message; on a smaller cluster it has one replica.
 */
export async function ensureKafkaTopics(
  brokers: readonly string[],
  plans: readonly TopicPlan[],
  login?: KafkaLogin,
): Promise<void> {
  const admin = new Kafka(
    producerClient({ clientId: 'ensure-topics', brokers, login, gate: { closed: false } }),
  ).admin();
  await admin.connect();
  try {
    const cluster = await admin.describeCluster();
    await makeTopics(admin, plans, cluster.brokers.length >= 3 ? 3 : 1);
  } finally {
    await admin.disconnect();
  }
}

/**
 * Creates missing topics, in up to 20 attempts, until the cluster lists all topics.
 *
 * @throws after the last attempt: the error of this attempt, or an error that names the topics that the cluster still
 *   does not list. An error of `listTopics` is thrown immediately
 */
export async function makeTopics(
  admin: Pick<Admin, 'listTopics' | 'createTopics'>,
  plans: readonly TopicPlan[],
  replicationFactor: number,
): Promise<void> {
  let failure: unknown;
  for (let attempt = 0; ; attempt++) {
    const existing = new Set(await admin.listTopics());
    const missing = plans.filter(({ topic }) => !existing.has(topic));
    if (missing.length === 0) return;
    const names = missing.map(({ topic }) => topic).join(', ');
    if (attempt === ATTEMPTS) throw failure ?? new Error(`created, but not listed by the brokers: ${names}`);
    const topics = missing.map((plan) => topicConfig(plan, replicationFactor));
    // On a cluster, this call can throw UNKNOWN_TOPIC_OR_PARTITION although it has created the topics, so the next
    // attempt lists the topics again.
    failure = await admin.createTopics({ waitForLeaders: true, timeout: 10_000, topics }).then(
      () => undefined,
      (error: unknown) => withReasons(error),
    );
    await sleep(attempt === 0 ? 0 : 250);
  }
}

/**
 * Returns an error whose message contains the reason for each topic. The message of kafkajs's error only says that
 * errors occurred; its nested errors have the topics and reasons.
 */
function withReasons(error: unknown): unknown {
  if (!(error instanceof KafkaJSAggregateError)) return error;
  const reasons = (error.errors as { topic?: string; message: string }[]).map(
    ({ topic, message }) => `${topic}: ${message}`,
  );
  return new Error(`topics cannot be created: ${reasons.join('; ')}`, { cause: error });
}

const topicConfig = ({ topic, partitions, deadLetters }: TopicPlan, replicationFactor: number) => ({
  topic,
  numPartitions: partitions,
  replicationFactor,
  configEntries: [
    ...CONFIG,
    ...(replicationFactor >= 3 ? [{ name: 'min.insync.replicas', value: '2' }] : []),
    ...(deadLetters ? [{ name: 'max.message.bytes', value: String(DEAD_LETTER_MAX_BYTES) }] : []),
  ],
});
