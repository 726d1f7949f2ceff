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
const none: AttributionEvidence = {
  token: null,
  byId: null,
  hasCode: false,
  byCode: null,
  data4: undefined,
  purchasedAt: NOON,
};
const token = { claims, fault: null };
const own = { id: 'prm_1', partnerId: 'ptn_1', deactivatedAt: null };
const other = { id: 'prm_2', partnerId: 'ptn_2', deactivatedAt: null };
const ofToken = { ...none, token, byId: own };
const ofCode = { ...none, hasCode: true, byCode: other };

describe('attribute', () => {
  it('returns the partner, promotion, environment and reference of the checkout token', () => {
    expect(attribute(ofToken)).toMatchObject({
      attribution: { partnerId: 'ptn_1', promotionId: 'prm_1', environment: 'test', sharedId: 'ref' },
      reason: null,
    });
  });

  it('returns the owner of the promotion code, in the live environment', () => {
    expect(attribute({ ...ofCode, data4: 'd4' })).toMatchObject({
      attribution: { partnerId: 'ptn_2', environment: 'live', sharedId: 'd4', attributedBy: 'code' },
      reason: null,
    });
  });

  it('prefers the token to the code', () => {
    expect(attribute({ ...ofCode, ...ofToken }).attribution?.partnerId).toBe('ptn_1');
  });

  it('honors a token whose promotion has since been deactivated', () => {
    expect(attribute({ ...ofToken, byId: { ...own, deactivatedAt: NOON } }).attribution?.partnerId).toBe('ptn_1');
  });

  it('accepts a code that was deactivated after the purchase, but not one that was deactivated at the time of the purchase', () => {
    expect(attribute({ ...ofCode, byCode: { ...other, deactivatedAt: NOON } }).attribution).toBeNull();
    expect(attribute({ ...ofCode, byCode: { ...other, deactivatedAt: LATER } }).attribution?.partnerId).toBe('ptn_2');
  });

  it('returns no partner when the token names an unknown promotion or the promotion of another partner [sales.token-of-another]', () => {
    const nobody = { attribution: null, reason: 'token_of_another_discount' };
    expect(attribute({ ...ofToken, byId: { ...own, partnerId: 'ptn_2' } })).toEqual(nobody);
    expect(attribute({ ...ofToken, byId: null })).toEqual(nobody);
  });

  it.each<[string, Partial<AttributionEvidence>]>([
    ['no_reference', {}],
    ['no_reference', { data4: 'alone' }],
    ['token_forged', { token: { claims: null, fault: 'token_forged' } }],
    ['token_expired', { token: { claims: null, fault: 'token_expired' } }],
    ['token_expired', { token: { claims: null, fault: 'token_expired' }, hasCode: true }],
    ['unknown_code', { hasCode: true }],
    ['code_ended', { hasCode: true, byCode: { ...other, deactivatedAt: NOON } }],
  ])('returns no partner, and the reason %s, for the evidence %j', (reason, change) => {
    expect(attribute({ ...none, ...change })).toEqual({ attribution: null, reason });
  });

  it.each([
    ['ref', 'd4', 'ref'],
    [null, 'd4', 'd4'],
    [null, undefined, ''],
  ])(
    'for the ref %p and the data4 %p, returns the sharedId %p [sales.shared-id, postback-body.shared-id]',
    (refId, data4, sharedId) => {
      const evidence = { ...ofToken, token: { claims: { ...claims, refId }, fault: null }, data4 };
      expect(attribute(evidence).attribution?.sharedId).toBe(sharedId);
    },
  );
});

describe('strongerAttribution', () => {
  const byToken = attribute(ofToken).attribution;
  const byCode = attribute(ofCode).attribution;
  const laterToken = attribute({ ...ofToken, purchasedAt: LATER }).attribution;

  it('prefers a token to a code, an earlier token to a later one, and a code to no attribution, in either order', () => {
    expect(strongerAttribution(byToken, byCode)).toBe(byToken);
    expect(strongerAttribution(byCode, byToken)).toBe(byToken);
    expect(strongerAttribution(laterToken, byToken)).toBe(byToken);
    expect(strongerAttribution(byToken, laterToken)).toBe(byToken);
    expect(strongerAttribution(null, byCode)).toBe(byCode);
    expect(strongerAttribution(byCode, null)).toBe(byCode);
  });
});
