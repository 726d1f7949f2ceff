import { types } from 'node:util';
import { isOfDatabase } from './database-client';
import { DeadlineExceededError } from './deadline';

const { isNativeError } = types;

/** SQLSTATE classes and codes that mean "the server cannot serve us now", not "the statement is wrong". */
const UNAVAILABLE_SQLSTATES = /^(08...|57P0[1-5]|53[0-4]00|58030)$/;
/** Errors of any socket: they count only when the connection was to the database. */
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
/** A statement, a lock, an idle transaction or a whole one that took longer than it may: `statement_timeout` and the like. */
const TIMEOUT_SQLSTATES = new Set(['57014', '55P03', '25P03', '25P04']);
/** pg and pg-pool have no code for these; TypeORM says the last two when a connection broke under a transaction. */
const UNAVAILABLE_MESSAGES =
  /Connection terminated|^timeout expired$|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout|Client was closed and is not queryable|Driver not Connected|Cannot use a pool after calling end|Connection with postgres database is not established|server closed the connection|Query runner already released|provided by a query (?:runner|manager) was already released/i;

interface CodedError extends Error {
  code?: unknown;
  constraint?: unknown;
  driverError?: unknown;
  errors?: unknown;
}

/** TypeORM wraps the driver's error, which has the code. */
const driverErrorOf = (error: unknown): CodedError | undefined => {
  // Not `instanceof`: Node's own errors are of another realm where modules are loaded in a sandbox, as Jest does.
  if (!isNativeError(error)) return undefined;
  const { driverError } = error as CodedError;
  return isNativeError(driverError) ? (driverError as CodedError) : (error as CodedError);
};

/**
 * Whether an error means that the database cannot be reached or refuses work now (a restart, a network cut, an exhausted
 * pool). Such a request may be tried again later. A refused or broken connection to anything else (a vendor, another app) does
 * not count: only the errors of a {@link DatabaseClient} do.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  const cause = driverErrorOf(error);
  if (!cause) return false;
  if (typeof cause.code === 'string') {
    if (UNAVAILABLE_SQLSTATES.test(cause.code)) return true;
    if (UNAVAILABLE_SYSTEM_CODES.has(cause.code) && isOfDatabase(cause)) return true;
  }
  // Happy eyeballs: one error for each address that was tried.
  if (Array.isArray(cause.errors) && cause.errors.some((inner) => isDatabaseUnavailable(inner))) return true;
  return UNAVAILABLE_MESSAGES.test(cause.message);
}

/** Whether an error is a violated unique constraint, of that name when one is given. */
export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  const cause = driverErrorOf(error);
  return cause?.code === '23505' && (constraint === undefined || cause.constraint === constraint);
}

/** Whether a row that the new one refers to does not exist (any more). */
export const isForeignKeyViolation = (error: unknown): boolean => driverErrorOf(error)?.code === '23503';

/** Another transaction was faster; this one succeeds when it is run again: counts as a serialization failure. */
export class ConcurrentUpdateError extends Error {
  readonly code = '40001';
}

/** Whether Postgres gave up a transaction that would succeed when run again: serialization failure or deadlock. */
export function isRetryableConflict(error: unknown): boolean {
  const code = driverErrorOf(error)?.code;
  return code === '40001' || code === '40P01';
}

/**
 * Whether Postgres gave up a statement or a transaction because it, or a lock it waited for, took too long. Run again, it may
 * find the lock free, or the server less busy.
 */
export function isTimeout(error: unknown): boolean {
  return TIMEOUT_SQLSTATES.has(driverErrorOf(error)?.code as string);
}

/** Whether Postgres gave up a statement because it waited longer than `lock_timeout` for a lock, or was not to wait at all. */
export function isLockTimeout(error: unknown): boolean {
  return driverErrorOf(error)?.code === '55P03';
}

/** Whether a transaction was rolled back because the deadline of its request had passed ({@link DeadlineExceededError}). */
export const isDeadlineExceeded = (error: unknown): boolean => driverErrorOf(error) instanceof DeadlineExceededError;
