import type { ResolvedEventsOptions } from '../../events.options';
import type { EventBus } from '../bus.port';
import { KafkaConsumer } from './kafka-consumer';
import { KafkaPublisher } from './kafka-publisher';

/** The bus on Kafka. kafkajs is used in this folder only. */
export function createKafkaBus(options: ResolvedEventsOptions): EventBus {
  return {
    publisher: new KafkaPublisher(options),
    consumer: new KafkaConsumer(options),
  };
}
