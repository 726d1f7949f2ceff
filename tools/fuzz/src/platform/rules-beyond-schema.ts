import type { RulesBeyondSchema } from '../answer-check';

const DIFFERS = /differs between the body and the query$/;
const IN_BODY_OR_QUERY = /must be given$|differs between the body and the query$/;
const CURRENCY = /must be an ISO 4217 code$/;
const LINE_OF_TEXT = /must be a line of text$/;

const POSTBACK: RulesBeyondSchema = {
  url: /^url has a host name that does not resolve$/,
  key: /^key (is needed|must be 1 to 512 visible ASCII characters$|must be user:password)/,
};
const RANGE: RulesBeyondSchema = { to: /^to must be (later than from|at most 90 days later than from)$/ };
/** For lists with the parameters `from` and `to`: `to` must be later than `from`. */
const TIMES: RulesBeyondSchema = { to: /^to must be later than from$/ };
/** Days must exist in the calendar and form a period that is allowed; time zones must be in the IANA database. */
const PERIODS: RulesBeyondSchema = {
  from: /^from must be (a date of the form|a day from|at most)/,
  to: /^to must (be a date of the form|be a day from|not be earlier)/,
  timeZone: /^timeZone must be a name of the IANA/,
};
/** The stock must not be lower than the number of issued coupons. */
const STOCK: RulesBeyondSchema = { stock: /^stock must be at least \d+$/ };
const VALIDITY: RulesBeyondSchema = { validUntil: /^validUntil must be after validFrom$/ };

/** The client API names refused fields without a message. */
const NAMED = /^$/;
const PERSON: RulesBeyondSchema = {
  // These four must not be blank, and must not contain control characters.
  firstName: NAMED,
  lastName: NAMED,
  'address.street': NAMED,
  'address.city': NAMED,
  // Must be a code that the USPS assigns, in upper or lower case.
  'address.state': NAMED,
  // Must be the birth date of a person aged 18 to 120.
  dob: NAMED,
  // Must be a number that can have been issued.
  ssn: NAMED,
};

/** The support API names refused fields without a reason. */
const WRONG = /^is missing or wrong$/;
const SUPPORT_CHANGE: RulesBeyondSchema = Object.fromEntries(
  ['ssn', 'dob', 'address.street', 'address.city', 'address.state'].map((field) => [field, WRONG]),
);

/** A schema cannot say which texts are receipts of the user, because this depends on the issuer's signature. */
const BAD_RECEIPTS: RulesBeyondSchema = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [
    `srts[${index}]`,
    /^is not a valid subscription receipt token of this user$/,
  ]),
);

/**
 * By operation: the fields that have a rule which a schema cannot express, each with a pattern of the message when the
 * rule is broken. A refusal of the field with another message is a finding.
 */
const OF_OPERATIONS: Readonly<Record<string, RulesBeyondSchema>> = {
  // Another request of the run may have created or deleted the profile.
  'POST /idp/array/users': { ...PERSON, UserAlreadyExists: NAMED },
  'DELETE /idp/array/users/me': { UserNotFound: NAMED },
  'PATCH /idp/array/users/me': { ...PERSON, body: NAMED },
  'PATCH /idp/support/users/{user_id}': SUPPORT_CHANGE,
  'POST /idp/support/users/{user_id}/enroll': BAD_RECEIPTS,
  'POST /idp/support/users/search': { body: /^must have exactly one of /, email: /^must be an e-mail address$/ },
  'GET /idp/support/audit': { to: /^must be later than from$/ },
  'POST /idp/array/users/me/migration': { version: NAMED },
  'POST /idp/array/webhook': { 'details.appKey': /^must be the key of this platform$/ },
  'GET /api/v2/partner/subscription/create-checkout-url': {
    ref_id: /printable characters$/,
    currency: CURRENCY,
    locale: /must be a BCP 47 language tag$/,
  },
  'PUT /api/v2/partner/subscription/revoke': { subscriptionId: IN_BODY_OR_QUERY },
  'GET /api/v2/partner/sales': TIMES,
  'GET /api/v2/partner/sales/export': TIMES,
  'GET /admin/sales': {
    ...TIMES,
    search: /^search cannot be combined/,
    status: /^status=unattributed cannot be combined/,
  },
  'GET /admin/sales/export': TIMES,
  'GET /admin/sales/export/csv': { ...TIMES, search: /^search cannot be combined/ },
  'GET /admin/audit': { ...TIMES, partnerId: /^partnerId cannot be combined/ },
  'GET /api/v2/partner/statistics': PERIODS,
  'GET /admin/statistics': PERIODS,
  'GET /admin/statistics/partners': PERIODS,
  'POST /api/v2/partner/postback': POSTBACK,
  'PUT /internal/postback-configurations/{partnerId}/{environment}': POSTBACK,
  'GET /api/v2/partner/postback/deliveries/replay': RANGE,
  'POST /api/v2/partner/postback/deliveries/replay': RANGE,
  'GET /admin/partners/{id}/deliveries/replay': RANGE,
  'POST /admin/partners/{id}/deliveries/replay': RANGE,
  'GET /internal/postback-configurations/{partnerId}/{environment}/deliveries/replay': RANGE,
  'POST /internal/postback-configurations/{partnerId}/{environment}/deliveries/replay': RANGE,
  'POST /api/v2/partner/subscription/vouchers': {
    voucherGroupId: IN_BODY_OR_QUERY,
    count: DIFFERS,
    // An idempotency key belongs to only one request.
    idempotency_key_reused: /^$/,
  },
  'POST /admin/partners': { name: LINE_OF_TEXT },
  'PATCH /admin/partners/{id}': { name: LINE_OF_TEXT },
  'POST /admin/partners/{id}/voucher-groups': {
    ...VALIDITY,
    name: LINE_OF_TEXT,
    'product.name': LINE_OF_TEXT,
    currency: CURRENCY,
  },
  'POST /internal/partners/{partnerId}/voucher-groups': VALIDITY,
  'PATCH /admin/voucher-groups/{id}': STOCK,
  'PATCH /internal/voucher-groups/{groupId}': STOCK,
  'POST /admin/partners/{id}/tokens': {
    scopes: /^a (live|test) token of a (promotion|voucher) partner cannot have /,
    expiresAt: /^expiresAt must be in the future$/,
  },
};

/** A cursor must come from a page of the same list. */
const CURSOR: RulesBeyondSchema = { invalid_cursor: /^$/ };

/** Returns the rules of an operation that its document cannot express. */
export const rulesBeyondSchema = (operation: string): RulesBeyondSchema => ({ ...CURSOR, ...OF_OPERATIONS[operation] });
