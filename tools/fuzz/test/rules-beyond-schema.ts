import type { RulesBeyondSchema } from '../src';

/** By operation: fields with a rule that a schema cannot say, and the rule. A fitting request that breaks one is refused rightly. */
export const BEYOND_SCHEMA: Readonly<Record<string, RulesBeyondSchema>> = {
  'GET /api/v2/partner/subscription/vouchers': { invalid_cursor: 'a cursor is what a page before gave' },
  'GET /api/v2/partner/postback/deliveries': { invalid_cursor: 'a cursor is what a page before gave' },
};
