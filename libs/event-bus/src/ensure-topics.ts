import { deadLetterTopicOf, TOPOLOGY, type TopicTopology } from '@tandem/contracts';
import { Client } from 'pg';
import { EventsConfigurationError, type BusKind, type KafkaLogin } from './bus-options';
import { ensureKafkaTopics, type TopicPlan } from './kafka/kafka-topics';

export interface EnsureTopicsOptions {
  bus: BusKind;
  kafkaBrokers?: readonly string[];
  kafkaLogin?: KafkaLogin;
  /** Postgres URL of a superuser. Used only for the Postgres bus, on which the apps' roles cannot create topics. */
  superuserUrl: string;
  /** Default: every topic of the platform. */
  topology?: readonly TopicTopology[];
}

/**
 * Creates each missing topic and dead-letter topic and, on the Postgres bus, each missing partition of an existing
 * topic. The migrate step calls this function. Another call with the same options changes nothing.
 */
export async function ensureTopics(options: EnsureTopicsOptions): Promise<void> {
  const plans = (options.topology ?? TOPOLOGY).flatMap(({ event, partitions }): TopicPlan[] => [
    { topic: event.topic, partitions, deadLetters: false },
    { topic: deadLetterTopicOf(event.topic), partitions: 1, deadLetters: true },
  ]);
  if (options.bus === 'kafka') {
    if (!options.kafkaBrokers?.length) throw new EventsConfigurationError('KAFKA_BROKERS names no broker');
    await ensureKafkaTopics(options.kafkaBrokers, plans, options.kafkaLogin);
  } else {
    await ensurePostgresTopics(options.superuserUrl, plans);
  }
}

async function ensurePostgresTopics(url: string, plans: readonly TopicPlan[]): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'ensure-topics' });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO bus.topic_partition (topic, "partition")
       SELECT t, p FROM unnest($1::text[], $2::integer[]) AS plan(t, n), generate_series(0, n - 1) AS p
       ON CONFLICT DO NOTHING`,
      [plans.map(({ topic }) => topic), plans.map(({ partitions }) => partitions)],
    );
  } finally {
    await client.end();
  }
}
