export { type MigratedApp, migrateApps, type MigrateAppsOptions } from './bus/migrate-apps';
export { ensureTopics, type EnsureTopicsOptions } from './bus/ensure-topics';
export { BUS_SCHEMA, type BusApp, grantBus, type GrantBusOptions } from './bus/postgres/bus-schema';
export {
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterPage,
  DeadLetters,
  listDeadLetters,
  type ReplayTarget,
  requestReplay,
  type SqlClient,
} from './dead-letter/dead-letters';
export { HandlerRegistrationError, PermanentEventError } from './dispatch/dispatch.errors';
export { EventBatch } from './dispatch/event-batch';
export { EventHandler, type EventHandlerOptions } from './dispatch/event-handler';
export { EventServer } from './dispatch/event-server';
export { EventsModule } from './events.module';
export {
  type BusKind,
  DEFAULT_TUNING,
  EventsConfigurationError,
  type EventsOptions,
  type EventsSettings,
  type EventsTuning,
} from './events.options';
export { EntityVersions } from './inbox/entity-versions';
export { MESSAGING_MIGRATIONS } from './migrations';
export {
  type AddOptions,
  type EventOfRow,
  eventOfRow,
  EventTooLargeError,
  MAX_EVENT_BYTES,
  type NewEvent,
  Outbox,
} from './outbox/outbox';
export type { Insertion } from './outbox/outbox.repository';
export { Batcher, BatcherFullError, type BatcherLimits } from './timing/batcher';
export { InvalidEventDataError, type ReceivedEvent } from './wire/cloud-event';
export { currentEvent, type EventReference, runInEvent } from './wire/current-event';
export { currentTraceparent, runWithTrace } from './wire/trace';
export { OutageLog } from './timing/outage-log';
export { derivedEventId, newEventId, timedEventId } from './wire/uuid';
