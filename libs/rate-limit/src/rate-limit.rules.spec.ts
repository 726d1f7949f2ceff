import { quotaOf, rateLimitHeaders } from './rate-limit.rules';

describe('quotaOf', () => {
  it.each([
    [10, 1],
    [30, 1],
    [120, 1],
    [199, 1],
    [600, 6],
    [1_000_000_000, 10_000_000],
  ])('gives a limit of %i a batch of %i permits', (limit, batch) => {
    const policy = { limit, windowSeconds: 60 };
    expect(quotaOf('checkout', policy)).toEqual({ policy: 'checkout', ...policy, batch });
  });
});

describe('rateLimitHeaders', () => {
  it('returns the policy and the caller’s standing as structured fields [errors.rate-limited]', () => {
    const standing = { allowed: true, remaining: 599, resetSeconds: 42 };
    expect(rateLimitHeaders(quotaOf('voucher-create', { limit: 600, windowSeconds: 60 }), standing)).toEqual({
      'RateLimit-Policy': '"voucher-create";q=600;w=60',
      RateLimit: '"voucher-create";r=599;t=42',
    });
  });
});
