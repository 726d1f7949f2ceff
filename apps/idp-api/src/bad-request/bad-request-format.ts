import { type ErrorFormat, type HttpFailure, PLAIN_FORMAT, PROBLEM_FORMAT } from '@tandem/http-api';
import { ERROR_SCHEMAS } from './error-schemas';
import { ERROR_TEXTS, type ErrorText } from './error-texts';
import { MAX_ATTEMPTS } from '../profile/verification.rules';

/** For each error code, the function that builds the variant in the client API's `BadRequest` body. Errors with other codes have no variant. */
const VARIANTS: Readonly<Record<string, (failure: HttpFailure) => object>> = {
  validation_failed: ({ errors = [] }) => invalidFields(errors.map(({ field }) => field)),
  unreadable_body: () => invalidFields(['body']),
  user_already_exists: () => ({ UserAlreadyExists: {} }),
  user_not_found: () => ({ UserNotFound: {} }),
  two_factor_auth_required: () => ({ TwoFactorAuthRequired: {} }),
  entitlements_required: () => ({ EntitlementsRequired: {} }),
  attempts_too_early: ({ headers }) => ({ AttemptsTooEarly: { retry_after: Number(headers?.['Retry-After']) } }),
  maximum_attempts_reached: () => ({ MaximumAttemptsReached: { max_allowed: MAX_ATTEMPTS } }),
};

/** For some error codes, the text that clients see instead of the error's own message. */
const TEXTS: Readonly<Record<string, string>> = {
  rate_limited: 'rate limited',
  vendor_failed: 'provider unavailable',
  vendor_timeout: 'provider timed out',
  user_busy: 'provider timed out',
};

const invalidFields = (paths: readonly string[]): object => ({ InputValidationFailure: { invalid_fields: paths } });

const INTERNAL_PATH = '/internal/';

/**
 * Builds the bodies of errors. Errors with a variant become `{"BadRequest":{"<Variant>":{…}}}`, and all others become `{"error":"…"}`. Internal
 * callers get the body of problem+json, as from the internal API of every app.
 */
export const BAD_REQUEST_FORMAT: ErrorFormat = {
  contentType: PLAIN_FORMAT.contentType,
  body(failure, request) {
    if (request.path.startsWith(INTERNAL_PATH)) return PROBLEM_FORMAT.body(failure, request);
    const variant = VARIANTS[failure.code];
    if (variant) return { BadRequest: variant(failure) };
    const text = TEXTS[failure.code];
    return text === undefined ? PLAIN_FORMAT.body(failure, request) : { error: text };
  },
  schemas: ERROR_SCHEMAS,
  schemaOf(failures) {
    const [only, another] = new Set(failures.map((one) => (hasVariant(one) ? 'BadRequest' : 'PlainError')));
    return { $ref: `#/components/schemas/${another ? 'ErrorAnswer' : only}` };
  },
  describe: (failures) => [...new Set(failures.map(descriptionOf))].join('\n\n'),
  textOf,
};

const hasVariant = ({ code }: HttpFailure): boolean => VARIANTS[code] !== undefined;

/**
 * Returns the description of an error for the OpenAPI document. The description starts with the name of the variant if there is one,
 * because clients distinguish variants by name; other errors are distinguished by status.
 */
function descriptionOf(failure: HttpFailure): string {
  const { name, description } = textOf(failure);
  return hasVariant(failure) ? `\`${name}\`: ${description}` : description;
}

function textOf({ code }: HttpFailure): ErrorText {
  const known = ERROR_TEXTS[code];
  if (!known) throw new Error(`${code} has no text: see error-texts.ts`);
  return known;
}
