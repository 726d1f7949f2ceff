import { EventDecodingError } from '../wire/cloud-event';

/**
 * Thrown for an event that would fail at every attempt, usually by the handler. When an event that is handled alone
 * fails with this error, the event becomes a dead letter without further attempts.
 */
export class PermanentEventError extends Error {
  readonly code: string = 'permanent_event_error';
  override name = 'PermanentEventError';
}

/** The consumer is stopping or has lost the partition: the event will be delivered again, here or elsewhere. */
export class DeliveryAbortedError extends Error {
  readonly code = 'delivery_aborted';

  constructor() {
    super('delivery aborted: the consumer is stopping or has lost the partition');
    this.name = 'DeliveryAbortedError';
  }
}

/** A handler of the app cannot be registered: a mistake in the app's code, which makes the app's start fail. */
export class HandlerRegistrationError extends Error {
  readonly code = 'handler_registration';
  override readonly name = 'HandlerRegistrationError';
}

export const isPermanent = (error: unknown): boolean =>
  error instanceof PermanentEventError || error instanceof EventDecodingError;

const REASON_LENGTH = 500;
/** Matches white space and ASCII control characters, among them U+0000, which Postgres cannot store. */
// eslint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
const UNPRINTABLE = /[\s\u0000-\u001f\u007f]+/g;

/**
 * Describes an error in one line, for logs, dead letters and headers. A database error is described only by
 * its code and the names of table, column and constraint, because its message and detail can quote values of the row.
 */
export function describeError(error: unknown): string {
  if (typeof error !== 'object' || error === null)
    return String(error).replace(UNPRINTABLE, ' ').slice(0, REASON_LENGTH);
  const { driverError } = error as { driverError?: unknown };
  const { name, message, code, severity, constraint, table, column } = (driverError ?? error) as Record<
    string,
    unknown
  >;
  if (severity !== undefined && typeof code === 'string') {
    const where = [table, column, constraint].filter((part) => typeof part === 'string').join(' ');
    return `database error ${code}${where ? ` (${where})` : ''}`;
  }
  if (message === undefined) return `thrown object without a message`;
  return `${String(name ?? 'Error')}: ${String(message)}`.replace(UNPRINTABLE, ' ').slice(0, REASON_LENGTH);
}

/**
 * An error as fields of a log line. A database error is described by its code and by names, not by its message, which
 * can quote values of the row.
 */
export interface ErrorFields {
  /** See {@link describeError}. */
  readonly reason: string;
  /** The stack trace without the message. */
  readonly stack?: string;
  readonly sqlState?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
}

/** Yields an error and its causes, because a handler may wrap a database error. */
export function* causesOf(error: unknown): Generator<unknown> {
  let current = error;
  for (let depth = 0; depth < 10 && current !== undefined && current !== null; depth++) {
    yield current;
    current = (current as { cause?: unknown }).cause;
  }
}

/** Returns the first Postgres error among an error and its causes; undefined when there is none. */
function databaseErrorIn(error: unknown): Record<string, unknown> | undefined {
  for (const one of causesOf(error)) {
    const thrown = ((one as { driverError?: unknown }).driverError ?? one) as Record<string, unknown>;
    if (thrown['severity'] !== undefined) return thrown;
  }
  return undefined;
}

/** Returns the log fields of an error that ended the handling of an event. */
export function errorFields(error: unknown): ErrorFields {
  const reason = describeError(error);
  if (typeof error !== 'object' || error === null) return { reason };
  const { stack } = error as { stack?: unknown };
  const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
  const { code, table, column, constraint } = databaseErrorIn(error) ?? {};
  const names = { sqlState: code, table, column, constraint };
  const given = Object.entries(names).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return { reason, ...(frames.length > 0 && { stack: frames.join('\n') }), ...Object.fromEntries(given) };
}
