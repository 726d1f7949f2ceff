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
export { EventContext } from './dispatch/event-context';
export { type EventPatternExtras, EventServer, wanting } from './dispatch/event-server';
export { EventsHealth, type EventsHealthReport } from './events-health';
export { EventsModule } from './events.module';
export {
  type BusKind,
  DEFAULT_TUNING,
  EventsConfigurationError,
  type EventsOptions,
  type EventsTuning,
} from './events.options';
export { EntityVersions } from './inbox/entity-versions';
export { MESSAGING_MIGRATIONS } from './migrations';
export { type AddOptions, EventTooLargeError, MAX_EVENT_BYTES, Outbox } from './outbox/outbox';
export { InvalidEventDataError } from './wire/cloud-event';
export { type CurrentEvent, currentEvent } from './wire/current-event';
export { currentTraceparent, runWithTrace } from './wire/trace';
