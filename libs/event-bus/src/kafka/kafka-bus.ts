import type { BusOptions } from '../bus-options';
import type { EventBus } from '../bus-port';
import { KafkaConsumer } from './kafka-consumer';
import { KafkaPublisher } from './kafka-publisher';

/** Creates an app's publisher and consumer on Kafka. In apps and libs, only this folder and some tests use kafkajs. */
export function createKafkaBus(options: BusOptions): EventBus {
  return {
    publisher: new KafkaPublisher(options),
    consumer: new KafkaConsumer(options),
  };
}
