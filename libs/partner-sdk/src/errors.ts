import {
  classOf,
  type FailedAnswer,
  fieldsOf,
  headerDetails,
  type RefusedField,
  TandemError,
  textOf,
} from '../../../sdks/typescript/errors.ts';

/** 403: the token lacks a scope, the call needs a test token, or the account is inactive or has the wrong kind of integration. */
export class PermissionDeniedError extends TandemError {
  override readonly name = 'PermissionDeniedError';
}

/**
 * 409: the state of a sale, a promotion, a voucher group or the postback configuration does not allow the call, or an earlier creation
 * of vouchers is still running.
 */
export class ConflictError extends TandemError {
  override readonly name = 'ConflictError';
}

/** 400, 413, 414, 415, 422 and 431: the request is invalid and must be changed; `errors` names the refused fields, if any. */
export class ValidationError extends TandemError {
  override readonly name = 'ValidationError';
}

const CLASSES: Readonly<Record<number, ReturnType<typeof classOf>>> = {
  400: ValidationError,
  403: PermissionDeniedError,
  409: ConflictError,
  413: ValidationError,
  414: ValidationError,
  415: ValidationError,
  422: ValidationError,
  431: ValidationError,
};

/** Returns the error of an answer in `application/problem+json`. @param now the current time in milliseconds */
export function errorOf(answer: FailedAnswer, now: number): TandemError {
  const details = headerDetails(answer, now);
  const problem = fieldsOf(answer.text);
  const code = textOf(problem['code']) ?? 'unknown';
  const requestId = textOf(problem['requestId']) ?? details.requestId;
  const errors = Array.isArray(problem['errors']) ? (problem['errors'] as RefusedField[]) : [];
  const detail = textOf(problem['detail']) ?? 'the answer does not come from the API';
  const Class = CLASSES[answer.status] ?? classOf(answer.status);
  return new Class(`${answer.status} ${code}: ${detail}`, { ...details, code, requestId, errors });
}
