import { generatePortalCode, hashPortalCode, isPortalCode, scopesOfPortal } from './portal-link.rules';

describe('the code of a portal link', () => {
  it('is recognized, and is unique among 100 generated codes', () => {
    const codes = Array.from({ length: 100 }, generatePortalCode);
    expect(codes.every(isPortalCode)).toBe(true);
    expect(new Set(codes.map((code) => hashPortalCode(code).toString('hex'))).size).toBe(100);
  });

  it.each(['', 'short', `${'a'.repeat(42)}!`, `${'a'.repeat(43)}\n`, 'a'.repeat(44)])('cannot be %j', (text) => {
    expect(isPortalCode(text)).toBe(false);
  });
});

describe('the scopes of a portal session', () => {
  it.each([
    ['promotion', true, ['sales:read', 'postback:read']],
    ['promotion', false, ['checkout:create', 'sales:read', 'sales:revoke', 'postback:read', 'postback:write']],
    ['voucher', true, ['vouchers:read']],
    ['voucher', false, ['vouchers:read', 'vouchers:create']],
  ] as const)('for a %s partner with readOnly=%s, are %j', (kind, readOnly, scopes) => {
    expect(scopesOfPortal(kind, { readOnly })).toEqual(scopes);
  });
});
