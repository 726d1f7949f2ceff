import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka } from 'kafkajs';
import { prepareDatabase, pool } from './database';
import { handleEvent, TOPICS } from './sales';

const { KAFKA_BROKERS = '127.0.0.1:9092', KAFKA_GROUP = 'sales-report' } = process.env;
const { KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD = '', KAFKA_TLS_CA } = process.env;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const login = {
  ssl: { ca: KAFKA_TLS_CA },
  sasl: { mechanism: 'scram-sha-512' as const, username: KAFKA_SASL_USERNAME ?? '', password: KAFKA_SASL_PASSWORD },
};
const kafka = new Kafka({
  clientId: KAFKA_GROUP,
  brokers: KAFKA_BROKERS.split(','),
  // Retries without limit while brokers are down.
  retry: { retries: Number.MAX_SAFE_INTEGER, maxRetryTime: 10_000 },
  ...(KAFKA_SASL_USERNAME !== undefined && login),
});
// After a process was killed, the group waits `sessionTimeout` before another process gets its partitions.
const consumer = kafka.consumer({ groupId: KAFKA_GROUP, sessionTimeout: 10_000, allowAutoTopicCreation: false });

/** Ends the process, so that its supervisor restarts it. */
function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}

async function main(): Promise<void> {
  await prepareDatabase();
  // kafkajs restarts the consumer after some errors. After any other error, the process would keep running and consume nothing.
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) fail(payload.error);
  });
  await consumer.connect();
  await consumer.subscribe({ topics: TOPICS, fromBeginning: true });
  await consumer.run({
    eachMessage: ({ topic, partition, message }) => {
      const id = message.headers?.['ce_id']?.toString() ?? '';
      return handleEvent({
        // Every event of the platform has a UUID. A message without one, from another source, is identified by its position.
        id: UUID.test(id) ? id : `${topic}/${partition}/${message.offset}`,
        topic,
        value: message.value ?? Buffer.alloc(0),
      });
    },
  });
}

/** Ends the process after the current event, but after 5 s at the latest, because kafkajs would wait for brokers that are down. */
async function stop(): Promise<void> {
  await Promise.race([consumer.disconnect().then(() => pool.end()), sleep(5_000)]);
  process.exit(0);
}

process.once('SIGTERM', () => void stop().catch(fail));
process.once('SIGINT', () => void stop().catch(fail));
void main().catch(fail);
