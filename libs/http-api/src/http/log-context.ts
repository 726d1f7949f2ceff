import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields that every log line of a request carries. The log lines of an event get their fields from `runInEvent`. */
export type LogFields = Record<string, string | number | undefined>;

const storage = new AsyncLocalStorage<LogFields>();

/** Runs `work` with these fields in its log lines. */
export const withLogFields = <T>(fields: LogFields, work: () => T): T => storage.run(fields, work);

/** Adds fields to the log lines of the running request, for example the partner once it is known. */
export const addLogFields = (fields: LogFields): void => void Object.assign(storage.getStore() ?? {}, fields);

/** Returns the fields of the running request; an empty object outside of a request. */
export const currentLogFields = (): LogFields => storage.getStore() ?? {};
