export {
  BUS_SCHEMA,
  type BusApp,
  type BusKind,
  ensureTopics,
  grantBus,
  type KafkaLogin,
  kafkaLoginOf,
} from '@tandem/event-bus';
export { DeadLetterLog, type OpenDeadLetter } from './dead-letter/dead-letter-log';
export {
  type DeadLetterFilter,
  type DeadLetterPage,
  listDeadLetters,
  type ReplayTarget,
  requestReplay,
} from './dead-letter/dead-letters';
export { HandlerRegistrationError, PermanentEventError } from './failure/dispatch.errors';
export { EventBatch } from './dispatch/event-batch';
export { EventHandler, type EventHandlerOptions } from './dispatch/event-handler';
export { EventServer } from './serving/event-server';
export { EventsModule } from './events.module';
export {
  DEAD_LETTER_RETENTION_DAYS,
  type EventsOptions,
  type EventsSettings,
  type EventsTuning,
} from './events-options';
export { type Measure, type MeasuredValue, Measurement } from './measure/measurement';
export { MESSAGING_MIGRATIONS } from './migrations';
export { claimExpression } from './inbox/inbox.repository';
export { type EventOfRow, eventOfRow, EventTooLargeError, type NewEvent, Outbox } from './outbox/outbox';
export type { Insertion } from './outbox/outbox.repository';
export { type ExpiringRows, Retention } from './retention/retention';
export { InvalidEventDataError, type ReceivedEvent } from './wire/cloud-event';
export { currentEvent, type EventReference, runInEvent } from './wire/current-event';
export { derivedEventId, newEventId, timedEventId } from './wire/uuid';
