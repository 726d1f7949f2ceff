import { attribute, type AttributionEvidence, strongerAttribution } from './attribution.rules';

const NOON = new Date('2026-03-01T12:00:00Z');
const LATER = new Date('2026-03-01T13:00:00Z');
const claims = {
  partnerId: 'ptn_1',
  promotionId: 'prm_1',
  percentOff: 20,
  environment: 'test',
  refId: 'ref',
  expiresAt: LATER,
} as const;
const none: AttributionEvidence = { claims: null, byId: null, byCode: null, data4: undefined, purchasedAt: NOON };
const own = { id: 'prm_1', partnerId: 'ptn_1', deactivatedAt: null };
const other = { id: 'prm_2', partnerId: 'ptn_2', deactivatedAt: null };

describe('attribute', () => {
  it('is nobody without a sign', () => {
    expect(attribute(none)).toBeNull();
  });

  it('is the partner of the checkout token, in its environment', () => {
    expect(attribute({ ...none, claims, byId: own })).toMatchObject({
      partnerId: 'ptn_1',
      promotionId: 'prm_1',
      environment: 'test',
      sharedId: 'ref',
    });
  });

  it('is nobody when the token names a promotion of another partner', () => {
    expect(attribute({ ...none, claims, byId: { ...own, partnerId: 'ptn_2' } })).toBeNull();
    expect(attribute({ ...none, claims, byId: null })).toBeNull();
  });

  it('is the owner of the promotion code, live', () => {
    expect(attribute({ ...none, byCode: other, data4: 'd4' })).toMatchObject({
      partnerId: 'ptn_2',
      environment: 'live',
      sharedId: 'd4',
      attributedBy: 'code',
    });
  });

  it('prefers the token to the code', () => {
    expect(attribute({ ...none, claims, byId: own, byCode: other })?.partnerId).toBe('ptn_1');
  });

  it('still honours a token whose promotion was ended since', () => {
    expect(attribute({ ...none, claims, byId: { ...own, deactivatedAt: NOON } })?.partnerId).toBe('ptn_1');
  });

  it('honours a code by the time of the purchase', () => {
    expect(attribute({ ...none, byCode: { ...other, deactivatedAt: NOON } })).toBeNull();
    expect(attribute({ ...none, byCode: { ...other, deactivatedAt: LATER } })?.partnerId).toBe('ptn_2');
  });

  it.each([
    ['ref', 'd4', 'ref'],
    [null, 'd4', 'd4'],
    [null, undefined, ''],
  ])('with ref %p and data4 %p shares %p', (refId, data4, sharedId) => {
    expect(attribute({ ...none, claims: { ...claims, refId }, byId: own, data4 })?.sharedId).toBe(sharedId);
  });
});

describe('strongerAttribution', () => {
  const token = attribute({ ...none, claims, byId: own });
  const code = attribute({ ...none, byCode: other });
  const laterToken = attribute({ ...none, claims, byId: own, purchasedAt: LATER });

  it('is the same whichever came first', () => {
    expect(strongerAttribution(token, code)).toBe(token);
    expect(strongerAttribution(code, token)).toBe(token);
    expect(strongerAttribution(laterToken, token)).toBe(token);
    expect(strongerAttribution(token, laterToken)).toBe(token);
    expect(strongerAttribution(null, code)).toBe(code);
    expect(strongerAttribution(code, null)).toBe(code);
  });
});
