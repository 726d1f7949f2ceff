export {
  type BusKind,
  type BusOptions,
  EventsConfigurationError,
  type Gap,
  type KafkaLogin,
  kafkaLoginOf,
  type KafkaLoginSettings,
} from './bus-options';
export {
  type AppendedRow,
  type BatchSink,
  type BusConsumer,
  type BusPublisher,
  EVENT_BUS,
  type EventBus,
  type RowPublisher,
} from './bus-port';
export { ensureTopics } from './ensure-topics';
export { createKafkaBus } from './kafka/kafka-bus';
export type { IncomingMessage, OutgoingMessage } from './message';
export { keyHash, partitionOf } from './partition';
export { type BusApp, BUS_SCHEMA, grantBus } from './postgres/bus-schema';
export { createPostgresBus } from './postgres/postgres-bus';
export { openConnection } from './postgres/postgres-connection';
export { bareParts, restoreParts, type StorableParts, storableParts } from './raw-parts';
