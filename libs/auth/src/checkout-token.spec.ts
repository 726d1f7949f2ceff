import { randomBytes } from 'node:crypto';
import { type CheckoutClaims, CheckoutTokens } from './checkout-token';

const key = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const K1 = key('k1');
const NOON = new Date('2026-03-01T12:00:00Z');
const claims: CheckoutClaims = {
  partnerId: 'ptn_1',
  promotionId: 'prm_1',
  percentOff: 20,
  environment: 'test',
  refId: 'Ünïcode & 👩‍🚀 ? #',
  expiresAt: new Date('2026-03-01T12:00:01Z'),
};

const FORGED = { claims: null, fault: 'token_forged' };
const EXPIRED = { claims: null, fault: 'token_expired' };

describe('checkout tokens', () => {
  it('contain the claims that were signed [checkout.signed]', () => {
    const tokens = new CheckoutTokens(K1);
    const bare = { ...claims, refId: null, environment: 'live' } as const;
    expect(tokens.verify(tokens.sign(claims), NOON)).toEqual({ claims, fault: null });
    expect(tokens.verify(tokens.sign(bare), NOON)).toEqual({ claims: bare, fault: null });
  });

  it('need no escaping in a URL', () => {
    expect(new CheckoutTokens(K1).sign(claims)).toMatch(/^[A-Za-z0-9._-]+$/);
  });

  it('are valid until their expiry, and refused from that moment on [checkout.life]', () => {
    const tokens = new CheckoutTokens(K1);
    const token = tokens.sign(claims);
    expect(tokens.verify(token, new Date('2026-03-01T12:00:00.999Z')).fault).toBeNull();
    expect(tokens.verify(token, new Date('2026-03-01T12:00:01.000Z'))).toEqual(EXPIRED);
  });

  it('stay valid until the key that signed them is removed from the configured keys [checkout.signed]', () => {
    const token = new CheckoutTokens(K1).sign(claims);
    expect(new CheckoutTokens(`${key('k2')},${K1}`).verify(token, NOON).claims).toEqual(claims);
    expect(new CheckoutTokens(key('k2')).verify(token, NOON)).toEqual(FORGED);
  });

  it('are refused if the configured key has the right id, but did not sign them', () => {
    expect(new CheckoutTokens(key('k1')).verify(new CheckoutTokens(K1).sign(claims), NOON)).toEqual(FORGED);
  });

  it('are refused when any character but the last is changed [checkout.signed, sales.token-forged]', () => {
    const tokens = new CheckoutTokens(K1);
    const token = tokens.sign(claims);
    for (let index = 0; index < token.length - 1; index += 1) {
      const changed = token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
      expect(tokens.verify(changed, NOON)).toEqual(FORGED);
    }
  });

  it.each(['', '.', '..', 'k1', 'k1..', 'k1.W10.', 'k1.e30.AAAA', 'a.b.c.d'])('are refused: %p', (token) => {
    expect(new CheckoutTokens(K1).verify(token, NOON)).toEqual(FORGED);
  });

  it.each(['', 'k1', 'k1:', 'k1:c2hvcnQ=', `${K1},${K1}`])('cannot be created with the keys %p', (keys) => {
    expect(() => new CheckoutTokens(keys)).toThrow(/key/);
  });
});
