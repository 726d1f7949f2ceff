import { policyOf } from './rate-limit.rules';

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
    'for scope %s and method %s, returns the policy %s [limits.checkout, limits.read, limits.write, limits.voucher-create]',
    (scope, method, policy) => {
      expect(policyOf(scope, method)).toBe(policy);
    },
  );
});
