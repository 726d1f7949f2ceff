import type { RulesBeyondSchema } from '../src';

const POSTBACK: RulesBeyondSchema = {
  url: 'a host that resolves to a public address',
  key: 'of the form that authMethod asks for; needed for a new configuration, and when authMethod changes',
};
const RANGE: RulesBeyondSchema = { to: 'later than from, by 90 days at most' };
const VALIDITY: RulesBeyondSchema = { validUntil: 'after validFrom' };

const PERSON: RulesBeyondSchema = {
  firstName: 'not blank',
  lastName: 'not blank',
  'address.street': 'not blank',
  'address.city': 'not blank',
  'address.state': 'a code that the USPS has, in any case',
  dob: 'of a person of 18 to 120 years',
  ssn: 'a number that can have been given out',
};

/** By operation: fields with a rule that a schema cannot say, and the rule. A fitting request that breaks one is refused rightly. */
const OF_OPERATIONS: Readonly<Record<string, RulesBeyondSchema>> = {
  'POST /idp/array/users': PERSON,
  'PATCH /idp/array/users/me': { ...PERSON, body: 'at least one field that is not null' },
  'POST /idp/array/users/me/migration': { version: 'never back to 0' },
  'GET /api/v2/partner/subscription/create-checkout-url': {
    ref_id: 'printable characters of Unicode',
    currency: 'a code that ISO 4217 has',
    locale: 'a tag that BCP 47 has',
  },
  'PUT /api/v2/partner/subscription/revoke': { subscriptionId: 'in the body or in the query, the same in both' },
  'POST /api/v2/partner/postback': POSTBACK,
  'PUT /internal/postback-configurations/{partnerId}/{environment}': POSTBACK,
  'POST /api/v2/partner/postback/deliveries/replay': RANGE,
  'POST /internal/postback-configurations/{partnerId}/{environment}/deliveries/replay': RANGE,
  'POST /api/v2/partner/subscription/vouchers': {
    voucherGroupId: 'in the body or in the query, the same in both',
    count: 'the same in body and query',
    idempotency_key_reused: 'a key is good for one request',
  },
  'POST /admin/partners': { name: 'printable characters of Unicode' },
  'PATCH /admin/partners/{id}': { name: 'printable characters of Unicode' },
  'POST /admin/partners/{id}/voucher-groups': VALIDITY,
  'POST /internal/partners/{partnerId}/voucher-groups': VALIDITY,
  'POST /admin/partners/{id}/tokens': { scopes: "of the partner's integration kind", expiresAt: 'in the future' },
};

/** A cursor is what the page before gave. */
const CURSOR: RulesBeyondSchema = { invalid_cursor: 'what the page before of the same list gave' };

/** The rules of an operation that its document cannot say. */
export const rulesBeyondSchema = (operation: string): RulesBeyondSchema => ({ ...CURSOR, ...OF_OPERATIONS[operation] });
