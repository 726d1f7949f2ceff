import { types } from 'node:util';
import { isOfDatabase, READ_ONLY } from './database-client';
import { DeadlineExceededError } from './deadline';

const { isNativeError } = types;

/**
 * SQLSTATE classes and codes that mean "the server cannot serve us now", not "the statement is wrong". An app never
 * asks for a read-only transaction, so a read-only transaction means a standby, or a server
 * that refuses writes because its disk is full.
 */
const UNAVAILABLE_SQLSTATES = new RegExp(`^(08...|57P0[1-5]|53[0-4]00|58030|${READ_ONLY})$`);
/**
 * The SQLSTATEs of a refused login: invalid_authorization_specification and invalid_password. A running process gets
 * such an error when an operator has changed the password of its role.
 */
const REFUSED_LOGIN_SQLSTATES = /^(28000|28P01)$/;
/** Codes of socket errors. Any connection can have such errors, so only those of a connection to the database count. */
const UNAVAILABLE_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/**
 * The errors of a statement, a lock wait, an idle transaction or a transaction that exceeded its time limit, such as
 * `statement_timeout`.
 */
const TIMEOUT_SQLSTATES = new Set(['57014', '55P03', '25P03', '25P04']);
/**
 * The messages of errors of pg, pg-pool and TypeORM that have no code. TypeORM throws the errors with the last two
 * messages when a connection broke before or during a transaction.
 */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|^timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Client was closed and is not queryable|Driver not Connected|Cannot use a pool after calling end|Connection with postgres database is not established|server closed the connection|Query runner already released|provided by a query (?:runner|manager) was already released/i;

interface CodedError extends Error {
  code?: unknown;
  constraint?: unknown;
  driverError?: unknown;
  errors?: unknown;
}

/** Returns the driver's error, which has the code: TypeORM wraps it in its own error. */
const driverErrorOf = (error: unknown): CodedError | undefined => {
  // `instanceof` would not work in a module sandbox such as Jest's, where Node's own errors belong to another realm.
  if (!isNativeError(error)) return undefined;
  const { driverError } = error as CodedError;
  return isNativeError(driverError) ? (driverError as CodedError) : (error as CodedError);
};

/**
 * Whether an error means that the database is unreachable or refuses work (a restart, a network failure, an exhausted
 * pool, a changed password). The caller may then retry its request later. Socket errors of other connections, for
 * example to a vendor or another app, do not count: only those of a {@link DatabaseClient} do.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const cause = driverErrorOf(error);
  if (!cause) return false;
  if (typeof cause.code === 'string') {
    if (UNAVAILABLE_SQLSTATES.test(cause.code) || isLoginRefused(cause)) return true;
    if (UNAVAILABLE_SYSTEM_CODES.has(cause.code) && isOfDatabase(cause)) return true;
  }
  // If a host name has several addresses, a failed attempt to connect has one error per address.
  if (Array.isArray(cause.errors) && cause.errors.some((inner) => isDatabaseUnavailable(inner))) return true;
  return UNAVAILABLE_MESSAGES.test(cause.message);
}

/**
 * Whether the server refused the login of a role. A process that is starting must fail on such an error. A running
 * process can retry, because the login may succeed later.
 */
export const isLoginRefused = (error: unknown): boolean =>
  REFUSED_LOGIN_SQLSTATES.test(String(driverErrorOf(error)?.code));

/** Whether an error means that a unique constraint was violated: any constraint, or the constraint with the given name. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = driverErrorOf(error);
  return cause?.code === '23505' && (constraint === undefined || cause.constraint === constraint);
}

/** Whether an error means that a foreign key constraint was violated. */
export const isForeignKeyViolation = (error: unknown): boolean => driverErrorOf(error)?.code === '23503';

/**
 * A concurrent transaction changed the same rows first. This transaction may succeed when it is run again, so the
 * error has the code of a serialization failure.
 */
export class ConcurrentUpdateError extends Error {
  readonly code = '40001';
}

/**
 * Thrown when a statement that writes nothing has found that the server accepts only reads. The error has the code with
 * which Postgres refuses a write, so `isDatabaseUnavailable` recognizes it.
 */
export class ReadOnlyServerError extends Error {
  readonly code = READ_ONLY;

  constructor() {
    super('the server runs only read-only transactions');
  }
}

/**
 * Whether a transaction failed because of a concurrent transaction: by a serialization failure, a deadlock, or
 * {@link ConcurrentUpdateError}. The failed transaction may succeed when it is run again.
 */
export function isRetryableConflict(error: unknown): boolean {
  const code = driverErrorOf(error)?.code;
  return code === '40001' || code === '40P01';
}

/**
 * Whether Postgres aborted a statement or a transaction because it exceeded a time limit, or because a lock was not
 * free. When run again, the statement or the transaction may succeed.
 */
export function isTimeout(error: unknown): boolean {
  return TIMEOUT_SQLSTATES.has(driverErrorOf(error)?.code as string);
}

/**
 * Whether Postgres aborted a statement because of a lock: the statement waited for longer than `lock_timeout`, or has
 * `nowait` and found a row or table locked.
 */
export function isLockTimeout(error: unknown): boolean {
  return driverErrorOf(error)?.code === '55P03';
}

/** Whether a transaction was rolled back because its request's deadline had passed, or its caller had disconnected. */
export const isDeadlineExceeded = (error: unknown): boolean => driverErrorOf(error) instanceof DeadlineExceededError;

/** A recount of statistics exceeded its time limit, and was rolled back. It may succeed when the server is less busy. */
export class RecountTooLongError extends Error {
  readonly code = 'recount_too_long';

  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(
      `The recount took longer than ${timeoutMs / 1_000} s and was undone; try again when fewer requests run.`,
      options,
    );
  }
}
