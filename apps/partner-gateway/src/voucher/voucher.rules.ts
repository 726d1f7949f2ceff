import { IDEMPOTENCY_KEY_MAX_LENGTH } from '@tandem/internal-api';
import { type FieldProblem, ValidationFailedError } from '@tandem/http-api';

/** The inputs of a request to create coupons, before validation. Each input may be in the body, in the query, or in both with the same value. */
export interface CreationInputs {
  voucherGroupId?: unknown;
  count?: unknown;
}

/** The coupons that a partner requests. */
export interface WantedCoupons {
  voucherGroupId: string;
  /** Null when the request gives no count. */
  requestedCount: number | null;
  /** Null when the request has no such header. */
  idempotencyKey: string | null;
}

/** Matches a number in the syntax of JSON. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Returns the group and the count from the body and the query, and the idempotency key. A null in the body is treated as absent. In the query,
 * the count is a string and is converted to a number. In the body, a string as the count is refused.
 *
 * @param key the header `Idempotency-Key`
 * @throws ValidationFailedError with every field that is invalid, or that differs between the body and the query; a missing group is invalid
 */
export function wantedCoupons(body: CreationInputs, query: CreationInputs, key?: string): WantedCoupons {
  const problems: FieldProblem[] = [];
  const checked = <T>(check: () => T): T => {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof ValidationFailedError)) throw error;
      problems.push(...error.fields);
      return undefined as T; // never returned: the problems are thrown below
    }
  };
  const wanted = {
    voucherGroupId: checked(() => groupIdOf(body, query)),
    requestedCount: checked(() => requestedCountOf(body, query)),
    idempotencyKey: checked(() => idempotencyKeyOf(key)),
  };
  if (problems.length > 0) throw new ValidationFailedError(problems);
  return wanted;
}

function groupIdOf(body: CreationInputs, query: CreationInputs): string {
  const given = [body.voucherGroupId ?? undefined, query.voucherGroupId].filter((value) => value !== undefined);
  if (given.length === 0) throw invalid('voucherGroupId', 'voucherGroupId must be given');
  for (const value of given) {
    if (typeof value !== 'string' || value === '') {
      throw invalid('voucherGroupId', 'voucherGroupId must be a string that is not empty');
    }
  }
  return theSame('voucherGroupId', given as string[]);
}

function requestedCountOf(body: CreationInputs, query: CreationInputs): number | null {
  const inQuery = typeof query.count === 'string' && NUMBER.test(query.count) ? Number(query.count) : query.count;
  const given = [body.count ?? undefined, inQuery].filter((value) => value !== undefined);
  for (const value of given) {
    if (!Number.isInteger(value) || (value as number) < 1) {
      throw invalid('count', 'count must be a whole number of 1 or more');
    }
  }
  return given.length === 0 ? null : theSame('count', given as number[]);
}

function theSame<T>(field: string, [first, second]: T[]): T {
  if (second !== undefined && second !== first) throw invalid(field, `${field} differs between the body and the query`);
  return first as T;
}

/**
 * Returns the idempotency key, or null if the request has no such header.
 *
 * @throws ValidationFailedError when the key is empty or too long
 */
export function idempotencyKeyOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  if (header.length === 0 || header.length > IDEMPOTENCY_KEY_MAX_LENGTH) {
    throw invalid('Idempotency-Key', `Idempotency-Key must be 1 to ${IDEMPOTENCY_KEY_MAX_LENGTH} characters`);
  }
  return header;
}

const invalid = (field: string, message: string): ValidationFailedError =>
  new ValidationFailedError([{ field, message }]);
