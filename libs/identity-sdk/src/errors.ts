import {
  asFields,
  classOf,
  type ErrorDetails,
  type FailedAnswer,
  fieldsOf,
  headerDetails,
  TandemError,
  textOf,
} from '../../../sdks/typescript/errors.ts';
import type { ErrorVariant } from './types.ts';

/**
 * The token states no second factor, or its second factor is too old. A call throws this error if there is no
 * `onSecondFactor`, or if the token that `onSecondFactor` returns has no valid second factor either.
 */
export class SecondFactorRequiredError extends TandemError {
  override readonly name = 'SecondFactorRequiredError';
  declare readonly code: 'TwoFactorAuthRequired';
  /** The `acr_values` to request from the issuer (RFC 9470), such as `mfa`. */
  readonly acrValues: string;

  constructor(message: string, details: ErrorDetails, { challenge }: VariantData) {
    super(message, details);
    this.acrValues = /acr_values="([^"]*)"/.exec(challenge)?.[1] ?? 'mfa';
  }
}

/** Some fields are missing or wrong: `fields` has the names of all of them, such as `address.zip`. */
export class InvalidFieldsError extends TandemError {
  override readonly name = 'InvalidFieldsError';
  declare readonly code: 'InputValidationFailure';
  readonly fields: readonly string[];

  constructor(message: string, details: ErrorDetails, { fields }: VariantData) {
    const paths = Array.isArray(fields['invalid_fields']) ? (fields['invalid_fields'] as string[]) : [];
    super(message, { ...details, errors: paths.map((field) => ({ field, message: 'is missing or wrong' })) });
    this.fields = paths;
  }
}

/** The user has no profile: let the user create one. */
export class UserNotFoundError extends TandemError {
  override readonly name = 'UserNotFoundError';
  declare readonly code: 'UserNotFound';
}

/** The user has a profile already: continue with `profile.get()`. */
export class UserAlreadyExistsError extends TandemError {
  override readonly name = 'UserAlreadyExistsError';
  declare readonly code: 'UserAlreadyExists';
}

/** The user's plan does not include what the call needs: show an offer. */
export class EntitlementsRequiredError extends TandemError {
  override readonly name = 'EntitlementsRequiredError';
  declare readonly code: 'EntitlementsRequired';
}

/** A verification of the identity was refused. Ask the user to come back after `retryAfterSeconds`. */
export class AttemptsTooEarlyError extends TandemError {
  override readonly name = 'AttemptsTooEarlyError';
  declare readonly code: 'AttemptsTooEarly';
  declare readonly retryAfterSeconds: number;

  constructor(message: string, details: ErrorDetails, { fields }: VariantData) {
    super(message, {
      ...details,
      retryAfterSeconds: numberOf(fields['retry_after']) ?? details.retryAfterSeconds ?? 0,
    });
  }
}

/** The identity was not confirmed in `maxAllowed` attempts: send the user to support. */
export class MaximumAttemptsReachedError extends TandemError {
  override readonly name = 'MaximumAttemptsReachedError';
  declare readonly code: 'MaximumAttemptsReached';
  readonly maxAllowed: number;

  constructor(message: string, details: ErrorDetails, { fields }: VariantData) {
    super(message, details);
    this.maxAllowed = numberOf(fields['max_allowed']) ?? 0;
  }
}

/** Verifications of the identity are locked, for a while or until support ends the lock. The `code` distinguishes the two cases. */
export type LockError = AttemptsTooEarlyError | MaximumAttemptsReachedError;

export const isLockError = (error: unknown): error is LockError =>
  error instanceof AttemptsTooEarlyError || error instanceof MaximumAttemptsReachedError;

/** The errors that an app should handle one by one. The `code` distinguishes them. */
export type IdentityError =
  | SecondFactorRequiredError
  | InvalidFieldsError
  | UserNotFoundError
  | UserAlreadyExistsError
  | EntitlementsRequiredError
  | LockError;

export const isIdentityError = (error: unknown): error is IdentityError =>
  error instanceof TandemError && CLASS_OF_VARIANT.has(error.code);

/** The parts of an answer from which the error of its variant is created. */
interface VariantData {
  readonly fields: Record<string, unknown>;
  readonly challenge: string;
}

type VariantClass = new (message: string, details: ErrorDetails, data: VariantData) => TandemError;

/** The class of each error variant of the API document. A missing variant is a compile error. */
const VARIANTS: Readonly<Record<ErrorVariant, VariantClass>> = {
  TwoFactorAuthRequired: SecondFactorRequiredError,
  InputValidationFailure: InvalidFieldsError,
  UserNotFound: UserNotFoundError,
  UserAlreadyExists: UserAlreadyExistsError,
  EntitlementsRequired: EntitlementsRequiredError,
  AttemptsTooEarly: AttemptsTooEarlyError,
  MaximumAttemptsReached: MaximumAttemptsReachedError,
};

const CLASS_OF_VARIANT: ReadonlyMap<string, VariantClass> = new Map(Object.entries(VARIANTS));

/** Codes of the errors that have no variant, by their status. */
const CODES: Readonly<Record<number, string>> = {
  400: 'malformed_request',
  401: 'unauthorized',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  413: 'payload_too_large',
  429: 'rate_limited',
  500: 'internal',
  502: 'provider_unavailable',
  503: 'service_unavailable',
  504: 'provider_timed_out',
};

/** Returns the error of an answer: `{"BadRequest":{"<variant>":{…}}}` or `{"error":"…"}`. @param now the current time in milliseconds */
export function errorOf(answer: FailedAnswer, now: number): TandemError {
  const details = headerDetails(answer, now);
  const { status, headers } = answer;
  const body = fieldsOf(answer.text);
  const [[variant, data] = []] = Object.entries(asFields(body['BadRequest']));
  if (variant === undefined) {
    const code = CODES[status] ?? 'unknown';
    const detail = textOf(body['error']) ?? 'the answer does not come from the API';
    return new (classOf(status))(`${status} ${code}: ${detail}`, { ...details, code });
  }
  // A variant that this version of the SDK does not know gets the class of its status, and its name as the code.
  const Class: VariantClass = CLASS_OF_VARIANT.get(variant) ?? classOf(status);
  const challenge = headers.get('www-authenticate') ?? '';
  return new Class(`${status} ${variant}`, { ...details, code: variant }, { fields: asFields(data), challenge });
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
