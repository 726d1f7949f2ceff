import { rule, type Section } from './rule';

/** Partner tokens, scopes, environments, limits. */
export const TOKENS: Section = {
  title: 'Tokens, scopes, environments, limits',
  rules: [
    rule(
      'tokens.format',
      'A token is `ptk_live_` or `ptk_test_`, 32 base62 symbols, and a CRC32 checksum of 6 symbols.',
    ),
    rule('tokens.hashed', 'A token is stored as its SHA-256.'),
    rule('tokens.shown-once', 'A token is shown once; later only its last 4 symbols are shown.'),
    rule('tokens.expires-at', '`expiresAt` is optional; from that time on, the token is refused.'),
    rule('tokens.last-used-at', '`lastUsedAt` is the time of the last use; it is stored within a minute.'),
    rule(
      'tokens.rotate',
      'Rotation creates a successor. The old token stays valid for the overlap (24 h by default), unless it expires earlier.',
    ),
    rule('tokens.rotate-overlap', 'The overlap is 0 to 7 days.'),
    rule('tokens.revoke', 'A revoked token is refused at once.'),
    rule(
      'tokens.scopes',
      'The scopes are `checkout:create, sales:read, sales:revoke, postback:read, postback:write, postback:listen, vouchers:read, vouchers:create`, and no others.',
    ),
    rule('tokens.scope-of-routes', 'An operation that requires a scope refuses a token without that scope.'),
    rule('tokens.mode-in-credential', 'The token determines the environment; the URL does not.'),
    rule('tokens.test-data-only', 'A test token sees only test data, and a live token only live data.'),
    rule('tokens.test-header', 'Test postbacks carry `X-Environment: test`; live ones do not.'),
    rule(
      'limits.checkout',
      'create-checkout-url is limited to 600 requests per token and minute (`RATE_LIMIT_CHECKOUT_PER_MINUTE`).',
    ),
    rule('limits.read', 'Other reads are limited to 120 requests per token and minute (`RATE_LIMIT_READ_PER_MINUTE`).'),
    rule(
      'limits.write',
      'Writes, except voucher creations, are limited to 30 requests per token and minute (`RATE_LIMIT_WRITE_PER_MINUTE`).',
    ),
    rule(
      'limits.voucher-create',
      'Voucher creations are limited to 10 requests per token and minute (`RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE`).',
    ),
    rule('limits.shared', 'Each limit applies to all replicas together.'),
    rule('limits.headers', 'Every answer to a request whose token was checked and is valid has `RateLimit` headers.'),
    rule('limits.refused-not-counted', 'A request that a limit refuses does not count toward the limit.'),
  ],
};
