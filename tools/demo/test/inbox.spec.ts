import { Webhook } from 'standardwebhooks';
import { isSignedBy, type Postback } from '../src/inbox';
import { CheckFailedError, Narrator } from '../src/narrator';
import { checkPostback } from '../src/postback-checks';

const SECRET = `whsec_${Buffer.alloc(24, 3).toString('base64')}`;
const BODY = {
  oid: 'sub_1',
  sharedId: '',
  emailMasked: 'j***e@example.com',
  currency: 'USD',
  items: [{ price: '49.95', quantity: '1', category: 'Plan', tier: '', sku: 'Sell' }],
};

function postback(body: object, at = new Date()): Postback {
  const rawBody = JSON.stringify(body);
  return {
    receivedAt: at.toISOString(),
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer key',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': `v1,bm8= ${new Webhook(SECRET).sign('msg_1', new Date(), rawBody)}`,
    },
    body: body as Record<string, unknown>,
    rawBody,
  };
}

describe("a partner's verification of a postback", () => {
  it('accepts the signature of an independent library, even if the header has another signature too', () => {
    expect(isSignedBy(SECRET, postback(BODY))).toBe(true);
  });

  it.each([
    ['a different secret', (good: Postback) => isSignedBy(`whsec_${Buffer.alloc(24, 4).toString('base64')}`, good)],
    ['a changed body', (good: Postback) => isSignedBy(SECRET, { ...good, rawBody: `${good.rawBody} ` })],
    [
      'a changed id',
      (good: Postback) => isSignedBy(SECRET, { ...good, headers: { ...good.headers, 'webhook-id': 'x' } }),
    ],
    [
      'no signature',
      (good: Postback) => isSignedBy(SECRET, { ...good, headers: { ...good.headers, 'webhook-signature': '' } }),
    ],
    ['an arrival ten minutes late', () => isSignedBy(SECRET, postback(BODY, new Date(Date.now() + 600_000)))],
  ])('refuses %s', (_name, verify) => {
    expect(verify(postback(BODY))).toBe(false);
  });
});

describe('checkPostback', () => {
  const check = (body: object): Narrator => {
    const narrator = new Narrator(() => undefined);
    checkPostback(narrator, postback(body), { key: 'key', signing: SECRET });
    return narrator;
  };

  it('makes ten checks of a valid postback, which all pass', () => {
    expect(check(BODY).checks).toBe(10);
  });

  it.each([
    ['an extra field', { ...BODY, extra: '1' }],
    ['a missing field', { ...BODY, currency: undefined }],
    ['a number instead of a text', { ...BODY, items: [{ ...BODY.items[0], quantity: 1 }] }],
    ['a price with one decimal', { ...BODY, items: [{ ...BODY.items[0], price: '49.9' }] }],
    ['an sku in lower case', { ...BODY, items: [{ ...BODY.items[0], sku: 'sell' }] }],
    ['no items', { ...BODY, items: [] }],
  ])('fails for %s', (_name, body) => {
    expect(() => check(JSON.parse(JSON.stringify(body)) as object)).toThrow(CheckFailedError);
  });
});
