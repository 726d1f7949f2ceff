import { Kafka, Partitioners, type Producer } from 'kafkajs';
import type { OutgoingMessage } from '../message';
import type { BusOptions } from '../bus-options';
import type { BusPublisher } from '../bus-port';
import { PRODUCER, producerClient, SEND } from './kafkajs-settings';
import type { Gate } from './kafkajs-sockets';

/** Sends to Kafka and waits for all in-sync replicas. It never retries a failed send: the relay does so, in order. */
export class KafkaPublisher implements BusPublisher {
  private readonly gate: Gate = { closed: false };
  private readonly producer: Producer;
  private connected?: Promise<void>;

  constructor({ app, kafkaBrokers: brokers, kafkaLogin: login }: BusOptions) {
    const options = { clientId: `${app}-relay`, brokers, login, gate: this.gate };
    this.producer = new Kafka(producerClient(options)).producer({
      ...PRODUCER,
      createPartitioner: Partitioners.DefaultPartitioner,
    });
  }

  async publish(messages: readonly OutgoingMessage[]): Promise<void> {
    await this.connect();
    const topics = new Map<string, OutgoingMessage[]>();
    for (const message of messages) {
      const group = topics.get(message.topic);
      if (group) group.push(message);
      else topics.set(message.topic, [message]);
    }
    await this.producer.sendBatch({
      ...SEND,
      topicMessages: [...topics].map(([topic, group]) => ({
        topic,
        messages: group.map(({ key, value, headers }) => ({ key, value, headers })),
      })),
    });
  }

  async close(): Promise<void> {
    this.gate.closed = true;
    if (this.connected) await this.producer.disconnect().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    this.connected ??= this.producer.connect();
    try {
      await this.connected;
    } catch (error) {
      this.connected = undefined; // the next attempt reconnects
      throw error;
    }
  }
}
