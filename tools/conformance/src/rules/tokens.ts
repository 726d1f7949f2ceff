import { rule, type Section } from './rule';

const limits = (title: string): string => `rate-limits.int.spec.ts › rate limits › ${title}`;
/** Which requests count for which limit, and what the limit is when nothing is configured. */
const COUNTED = [
  'rate-limit.rules.spec.ts › policyOf › %s by %s is counted as %s',
  'partner-gateway/test/documented-defaults.spec.ts › * › %s is %s',
];
const tokens = (title: string): string => `manage-tokens.int.spec.ts › the admin API › tokens › ${title}`;

/** Partner tokens, scopes, environments, limits. */
export const TOKENS: Section = {
  title: 'Tokens, scopes, environments, limits',
  rules: [
    rule(
      'tokens.format',
      '`ptk_live_` or `ptk_test_`, 32 base62 symbols and a CRC32 checksum of 6.',
      'partner-token.spec.ts › * › has the prefix of %s, 32 base62 characters and a 6-character checksum',
      'partner-token.spec.ts › * › has the CRC32 of all before it as its checksum',
      'partner-token.spec.ts › * › is refused with any one character changed',
    ),
    rule(
      'tokens.hashed',
      'A token is stored as its SHA-256.',
      'partner-token.spec.ts › * › is hashed with SHA-256',
      tokens('are shown once, and kept as a hash'),
    ),
    rule(
      'tokens.shown-once',
      'It is shown once; later only its last 4 symbols.',
      tokens('are shown once, and kept as a hash'),
    ),
    rule(
      'tokens.expires-at',
      '`expiresAt` is optional; after it the token is refused.',
      'partner-tokens.int.spec.ts › * › answers 401 after the token has expired',
      tokens('refuse %j'),
    ),
    rule(
      'tokens.last-used-at',
      '`lastUsedAt` tells the last use.',
      'partner-tokens.int.spec.ts › * › notes the last use of a token',
    ),
    rule(
      'tokens.rotate',
      'Rotation gives a successor; the old token stays valid for the overlap, 24 h by default.',
      tokens('are rotated: both work in the overlap, then only the new one'),
      tokens('have one successor, also when two rotations come at once'),
      tokens('keep their life span when rotated, and never live longer by it'),
    ),
    rule(
      'tokens.rotate-overlap',
      'The overlap is 0 to 7 days.',
      tokens('are rotated without an overlap, or without a body'),
      tokens('refuse an overlap of %p'),
    ),
    rule(
      'tokens.revoke',
      'A revoked token ends at once.',
      tokens('end at once when revoked, and a repeat changes nothing'),
    ),
    rule(
      'tokens.scopes',
      'The scopes are `checkout:create, sales:revoke, postback:read, postback:write, vouchers:read, vouchers:create`, and no others.',
      'partner-interface.int.spec.ts › the partner interface › scopes › are these six, and no others: those of a %s partner',
    ),
    rule(
      'tokens.scope-of-routes',
      'Each endpoint needs its own scope.',
      'partner-tokens.int.spec.ts › * › %s %s needs the scope %s',
    ),
    rule(
      'tokens.mode-in-credential',
      'The mode is in the credential, never in the URL.',
      'create-checkout-url.int.spec.ts › * › is signed for the environment of the token',
      'partner-token.spec.ts › * › is refused when a live token is renamed to a test one',
    ),
    rule(
      'tokens.test-data-only',
      'A test token sees only test data, and a live token only live data.',
      'revoke-sale.int.spec.ts › * › revokes a test sale by a test token only',
      'payment-received.int.spec.ts › * › a qualifying sale › is the test environment by a test token',
      'retry-sale.int.spec.ts › * › is not mixed with the other environment',
      'postback-dispatcher/test/configuration.int.spec.ts › * › is one for each environment',
    ),
    rule(
      'tokens.test-header',
      'Test postbacks carry `X-Environment: test`; live ones do not.',
      'attempt.int.spec.ts › one attempt › marks test traffic',
    ),
    rule(
      'limits.checkout',
      'create-checkout-url: 600 requests for a token and minute (`RATE_LIMIT_CHECKOUT_PER_MINUTE`).',
      limits('two replicas › let 600 checkout URLs through together, within 5 %'),
      ...COUNTED,
    ),
    rule(
      'limits.read',
      'Other reads: 120 (`RATE_LIMIT_READ_PER_MINUTE`).',
      limits('count each token on its own, and each policy of a token'),
      ...COUNTED,
    ),
    rule(
      'limits.write',
      'Writes: 30 (`RATE_LIMIT_WRITE_PER_MINUTE`).',
      limits('two replicas › let exactly 30 writes through together'),
      ...COUNTED,
    ),
    rule('limits.voucher-create', 'Voucher creation: 10 (`RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE`).', ...COUNTED),
    rule(
      'limits.shared',
      'The limits are shared by all replicas.',
      limits('two replicas › let 600 checkout URLs through together, within 5 %'),
      limits('two replicas › let exactly 30 writes through together'),
      limits('two replicas › refuse at one what was used up at the other'),
      'rate-limit-windows.int.spec.ts › the shared count of a token › loses and invents no permit when many ask at once',
    ),
    rule(
      'limits.headers',
      '`RateLimit` headers are on every answer to a token that is known.',
      limits('the headers of an answer › %i to %s tell where the token stands'),
      limits('the headers of an answer › 401 are none: nobody is known to count for'),
    ),
    rule(
      'limits.refused-not-counted',
      'A refused request does not count.',
      'rate-limits.int.spec.ts › after Retry-After › a token has its whole limit again: what was refused did not count',
    ),
  ],
};
