import * as fc from 'fast-check';
import { fetchHandler, MemoryStore, verifyPostback } from '../src';
import { bodyOf, newSecret, signed, type SignedPostback } from './signed';

const COUNT = 10_000;
const [CURRENT, NEXT, FOREIGN] = [newSecret(), newSecret(), newSecret()];

/** Ways to change a genuine postback so that it must be refused. */
const CHANGES: Record<string, (postback: SignedPostback, pick: number) => SignedPostback> = {
  'another secret': ({ headers, body }) => signed({ secrets: [FOREIGN], id: headers['webhook-id'] ?? '', body }),
  'another body': ({ headers, body }) => ({ headers, body: body.replace('"USD"', '"EUR"') }),
  'another id': ({ headers, body }) => ({ headers: { ...headers, 'webhook-id': `${headers['webhook-id']}x` }, body }),
  'another time': ({ headers, body }, pick) => {
    const seconds = Number(headers['webhook-timestamp']) + (pick % 2 === 0 ? 1 + (pick % 60) : -1 - (pick % 60));
    return { headers: { ...headers, 'webhook-timestamp': String(seconds) }, body };
  },
  late: ({ headers, body }, pick) => again(headers, body, -302 - (pick % 1_000_000)),
  early: ({ headers, body }, pick) => again(headers, body, 302 + (pick % 1_000_000)),
  'the same JSON in other bytes': ({ headers, body }) => ({ headers, body: JSON.stringify(JSON.parse(body)) }),
  'a bit of the signature': ({ headers, body }, pick) =>
    withSignature({ headers, body }, (text) => {
      const bytes = Buffer.from(text.slice(3), 'base64');
      const at = pick % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (pick % 8));
      return `v1,${bytes.toString('base64')}`;
    }),
  'a part of the signature': ({ headers, body }, pick) =>
    withSignature({ headers, body }, (text) => text.slice(0, pick % text.length)),
  'the signature in hexadecimal': (postback) =>
    withSignature(postback, (text) => `v1,${Buffer.from(text.slice(3), 'base64').toString('hex')}`),
  'the signature in base64url': (postback) => withSignature(postback, (text) => text.replace(/=+$/, '')),
  'the signature with other unused bits': (postback) =>
    withSignature(postback, (text) => text.replace(/(.)=$/, (_all, last: string) => `${NEXT_SYMBOL(last)}=`)),
  'another version': (postback) => withSignature(postback, (text) => text.replace('v1,', 'v2,')),
};

const SYMBOLS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The last base64 symbol of a signature has two unused bits, so the next symbol decodes to the same bytes. */
const NEXT_SYMBOL = (symbol: string): string => SYMBOLS[SYMBOLS.indexOf(symbol) + 1] ?? '';

const again = (headers: Record<string, string>, body: string, seconds: number): SignedPostback =>
  signed({ secrets: [CURRENT], id: headers['webhook-id'] ?? '', body, at: new Date(Date.now() + seconds * 1000) });

function withSignature({ headers, body }: SignedPostback, change: (text: string) => string): SignedPostback {
  return { headers: { ...headers, 'webhook-signature': change(headers['webhook-signature'] ?? '') }, body };
}

const kind = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('genuine', 'rotated', 'among others', 'slow') },
  { weight: 2, arbitrary: fc.constant('repeated') },
  { weight: 5, arbitrary: fc.constantFrom(...Object.keys(CHANGES)) },
);

/** Returns a genuine postback of the kind. `slow`: its timestamp differs from now, within the tolerance. */
function genuine(kind: string, oid: string, pick: number): SignedPostback {
  const body = bodyOf(oid);
  if (kind === 'rotated') return signed({ secrets: pick % 2 === 0 ? [NEXT, CURRENT] : [NEXT], body });
  if (kind === 'among others') return signed({ secrets: [FOREIGN, CURRENT, FOREIGN], body });
  if (kind === 'slow')
    return signed({ secrets: [CURRENT], body, at: new Date(Date.now() + ((pick % 500) - 250) * 1000) });
  return signed({ secrets: [CURRENT], body });
}

describe(`of ${COUNT} postbacks`, () => {
  it('none is wrongly accepted or refused, and each sale is booked once', async () => {
    const booked: string[] = [];
    const reported: unknown[] = [];
    const handler = fetchHandler({
      secrets: [CURRENT, NEXT],
      store: new MemoryStore(),
      onSale: ({ oid }) => void booked.push(oid),
      onError: (error) => reported.push(error),
    });
    const post = async ({ headers, body }: SignedPostback): Promise<number> =>
      (await handler(new Request('http://shop/', { method: 'POST', headers, body }))).status;
    const expected: string[] = [];
    const accepted: SignedPostback[] = [];
    let refused = 0;

    const samples = fc.sample(fc.tuple(kind, fc.nat()), { numRuns: COUNT, seed: Number(process.env['SDK_SEED'] ?? 1) });
    for (const [number, [name, pick]] of samples.entries()) {
      const oid = `sub_${number}`;
      const repeated = accepted[pick % accepted.length];
      const change = CHANGES[name];
      if (name === 'repeated' && repeated) {
        expect([name, pick, await post(repeated)]).toEqual([name, pick, 200]);
      } else if (change) {
        refused++;
        const postback = change(genuine('genuine', oid, pick), pick);
        expect([name, pick, await post(postback)]).toEqual([name, pick, 401]);
      } else {
        const postback = genuine(name, oid, pick);
        expect([name, pick, await post(postback)]).toEqual([name, pick, 200]);
        expected.push(oid);
        accepted.push(postback);
      }
    }
    expect(booked).toEqual(expected);
    expect(reported.length).toBe(refused);
    expect(Math.min(expected.length, refused, COUNT - expected.length - refused)).toBeGreaterThan(1000);
  });

  it('those signed with a secret that was dropped after its rotation are refused', async () => {
    const { headers, body } = signed({ secrets: [CURRENT] });
    await expect(verifyPostback(headers, body, [NEXT])).rejects.toMatchObject({ reason: 'signature_mismatch' });
  });
});
