import { Webhook } from 'standardwebhooks';
import { PostbackVerificationError, type VerifiedPostback, verifyPostback } from '../src';
import { type Accepted, SIGNATURES, type SignatureCase } from './behaviours';
import { bodyOf, newSecret, signed } from './signed';

const now = new Date(SIGNATURES.now * 1000);

type Outcome = { accepted: Accepted } | { refused: string };

async function outcomeOf(work: Promise<VerifiedPostback>): Promise<Outcome> {
  try {
    const { id, kind, isSample, isTest, postback } = await work;
    return { accepted: { id, oid: (postback.oid as string | undefined) ?? null, kind, isSample, isTest } };
  } catch (error) {
    if (error instanceof PostbackVerificationError) return { refused: error.reason };
    if (error instanceof TypeError) return { refused: 'invalid_secret' };
    throw error;
  }
}

const bodyOfCase = ({ body, bodyBase64 }: SignatureCase): string | Buffer =>
  bodyBase64 === undefined ? (body ?? '') : Buffer.from(bodyBase64, 'base64');

/** Returns undefined for values that `Headers` refuses or changes. */
function asHeaders(headers: Record<string, string>): Headers | undefined {
  try {
    const made = new Headers(headers);
    return Object.entries(headers).every(([name, value]) => made.get(name) === value) ? made : undefined;
  } catch {
    return undefined;
  }
}

describe('verifyPostback', () => {
  it.each(SIGNATURES.cases.map((one) => [one.refused ?? 'accepted', one.name, one] as const))(
    '%s: %s',
    async (_outcome, _name, one) => {
      const { headers, secrets, authorization, accepted, refused } = one;
      const expected = accepted ? { accepted } : { refused };
      const body = bodyOfCase(one);
      const forms = typeof body === 'string' ? [body, Buffer.from(body)] : [body, new Uint8Array(body).buffer];
      for (const form of forms)
        for (const container of [headers, asHeaders(headers)].filter((found) => found !== undefined))
          expect(await outcomeOf(verifyPostback(container, form, secrets, { authorization, now }))).toEqual(expected);
    },
  );

  it('accepts what the standardwebhooks library signs, with one secret as a string', async () => {
    const secret = newSecret();
    const { headers, body } = signed({ secrets: [secret] });
    const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(), body);
    const verified = await verifyPostback({ ...headers, 'webhook-signature': signature }, body, secret);
    expect(verified).toMatchObject({ id: headers['webhook-id'], postback: { oid: 'sub_1', sharedId: 'Zoë 😀' } });
  });

  it('refuses a repeated header', async () => {
    const secret = newSecret();
    const { headers, body } = signed({ secrets: [secret] });
    const id = headers['webhook-id'] ?? '';
    for (const twice of [{ 'webhook-id': [id, id] }, { 'Webhook-Id': id }])
      expect(await outcomeOf(verifyPostback({ ...headers, ...twice }, body, secret))).toEqual({
        refused: 'malformed_header',
      });
  });

  it('accepts a timestamp only within the given tolerance', async () => {
    const secret = newSecret();
    const { headers, body } = signed({ secrets: [secret], at: new Date(now.getTime() - 11_000) });
    const verify = (toleranceSeconds: number) =>
      outcomeOf(verifyPostback(headers, body, secret, { now, toleranceSeconds }));
    expect(await verify(10)).toEqual({ refused: 'timestamp_too_old' });
    expect(await verify(11)).toHaveProperty('accepted');
  });

  it.each([
    ['now', { now: new Date(Number.NaN) }],
    ['tolerance', { toleranceSeconds: Number.NaN }],
  ])('refuses a %s that is not a number', async (_name, options) => {
    const secret = newSecret();
    const { headers, body } = signed({ secrets: [secret] });
    expect(await outcomeOf(verifyPostback(headers, body, secret, options))).toEqual({ refused: 'timestamp_too_old' });
  });

  it('throws a TypeError for a body that was already parsed, because that is a mistake of the caller', async () => {
    const secret = newSecret();
    const { headers, body } = signed({ secrets: [secret] });
    await expect(verifyPostback(headers, JSON.parse(body), secret)).rejects.toThrow('as it was received');
    expect(body).toBe(bodyOf('sub_1'));
  });
});
