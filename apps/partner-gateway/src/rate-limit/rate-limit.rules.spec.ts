import { policyOf, quotaOf, rateLimitHeaders } from './rate-limit.rules';

describe('policyOf', () => {
  it.each([
    ['checkout:create', 'GET', 'checkout'],
    ['checkout:create', 'HEAD', 'checkout'],
    ['postback:read', 'GET', 'read'],
    ['vouchers:read', 'HEAD', 'read'],
    ['sales:revoke', 'PUT', 'write'],
    ['postback:write', 'POST', 'write'],
    ['postback:write', 'DELETE', 'write'],
    ['vouchers:create', 'POST', 'voucher-create'],
    [undefined, 'GET', 'read'],
    [undefined, 'PUT', 'write'],
  ] as const)(
    '%s by %s is counted as %s [limits.checkout, limits.read, limits.write, limits.voucher-create]',
    (scope, method, policy) => {
      expect(policyOf(scope, method)).toBe(policy);
    },
  );
});

describe('quotaOf', () => {
  it.each([
    [10, 1],
    [30, 1],
    [120, 1],
    [199, 1],
    [600, 6],
    [1_000_000_000, 10_000_000],
  ])('a limit of %i has batches of %i', (limit, batch) => {
    expect(quotaOf('checkout', limit, 60)).toEqual({ policy: 'checkout', limit, windowSeconds: 60, batch });
  });
});

describe('rateLimitHeaders', () => {
  it('are structured fields [errors.rate-limited]', () => {
    const standing = { allowed: true, remaining: 599, resetSeconds: 42 };
    expect(rateLimitHeaders(quotaOf('voucher-create', 600, 60), standing)).toEqual({
      'RateLimit-Policy': '"voucher-create";q=600;w=60',
      RateLimit: '"voucher-create";r=599;t=42',
    });
  });
});
