import { AsyncLocalStorage } from 'node:async_hooks';

/** The event that is being handled, for log lines. */
export interface CurrentEvent {
  readonly eventId: string;
  readonly topic: string;
  readonly key: string;
}

const storage = new AsyncLocalStorage<CurrentEvent>();

/** Runs `work` as part of handling an event. */
export const runWithEvent = <T>(event: CurrentEvent, work: () => T): T => storage.run(event, work);

/** The event that is being handled; undefined outside of a handler. */
export const currentEvent = (): CurrentEvent | undefined => storage.getStore();
