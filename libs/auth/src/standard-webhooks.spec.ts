import { Webhook } from 'standardwebhooks';
import { InvalidSecretError, WebhookVerificationError } from './auth.errors';
import {
  assertWebhookSecret,
  newWebhookSecret,
  signWebhook,
  verifyWebhook,
  webhookKey,
  webhookTimestampHeader,
  type WebhookHeaders,
} from './standard-webhooks';

const secret = newWebhookSecret();
const otherSecret = newWebhookSecret();
const id = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';
const body = '{"type":"contact.created","name":"Zoë 😀"}';
const now = new Date('2025-11-20T10:00:00.500Z');

const headersOf = (secrets: string[], timestamp = now): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': webhookTimestampHeader(timestamp),
  'webhook-signature': signWebhook({ secrets, id, timestamp, body }),
});

const verify = (headers: WebhookHeaders, secrets = [secret], rawBody = Buffer.from(body), at = now) =>
  verifyWebhook({ secrets, headers, rawBody, now: at });

const refusalOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
  return 'accepted';
};

describe('verifyWebhook', () => {
  it('returns the id and the time of a message that was signed with the secret', () => {
    expect(verify(headersOf([secret]))).toEqual({ id, timestamp: new Date('2025-11-20T10:00:00Z') });
  });

  it('accepts messages signed by the standardwebhooks library', () => {
    const timestamp = new Date();
    const signature = new Webhook(secret).sign(id, timestamp, body);
    const headers = { ...headersOf([secret], timestamp), 'webhook-signature': signature };
    expect(verify(headers, [secret], Buffer.from(body), timestamp).id).toBe(id);
  });

  it('accepts a message that was signed with the second of two secrets', () => {
    expect(verify(headersOf([otherSecret]), [secret, otherSecret]).id).toBe(id);
  });

  it('accepts one valid signature among invalid signatures and signatures of other versions', () => {
    const headers = headersOf([otherSecret, secret]);
    headers['webhook-signature'] = `v1a,abc v2,xyz v1, ${headers['webhook-signature']} v1,AAAA`;
    expect(verify(headers).id).toBe(id);
  });

  it.each([
    ['exactly 5 minutes old', -300, 'accepted'],
    ['more than 5 minutes old', -301, 'timestamp_too_old'],
    ['exactly 5 minutes ahead', 300, 'accepted'],
    ['more than 5 minutes ahead', 301, 'timestamp_too_new'],
  ])('classifies a message that is %s (%s s) as %s', (_name, seconds, expected) => {
    const timestamp = new Date(now.getTime() + seconds * 1000);
    expect(refusalOf(() => verify(headersOf([secret], timestamp)))).toBe(expected);
  });

  it('accepts a timestamp only within the given tolerance', () => {
    const headers = headersOf([secret], new Date(now.getTime() - 11_000));
    const rawBody = Buffer.from(body);
    expect(() => verifyWebhook({ secrets: [secret], headers, rawBody, now, toleranceSeconds: 10 })).toThrow('too_old');
    expect(verifyWebhook({ secrets: [secret], headers, rawBody, now, toleranceSeconds: 11 }).id).toBe(id);
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a message in which %s is missing, empty or repeated',
    (name) => {
      expect(refusalOf(() => verify({ ...headersOf([secret]), [name]: undefined }))).toBe('missing_header');
      expect(refusalOf(() => verify({ ...headersOf([secret]), [name]: '' }))).toBe('missing_header');
      expect(refusalOf(() => verify({ ...headersOf([secret]), [name]: ['a', 'b'] }))).toBe('malformed_header');
    },
  );

  it.each(['now', '1e9', '-5', '12.5', '0x10', ' 1763632800', '1763632800, 1763632800', '9'.repeat(13)])(
    'refuses the timestamp %j',
    (timestamp) => {
      expect(refusalOf(() => verify({ ...headersOf([secret]), 'webhook-timestamp': timestamp }))).toBe(
        'malformed_header',
      );
    },
  );

  it.each(['a b', 'x'.repeat(256), 'ä'])('refuses the id %j', (value) => {
    expect(refusalOf(() => verify({ ...headersOf([secret]), 'webhook-id': value }))).toBe('malformed_header');
  });

  const signatureOf = (): string => headersOf([secret])['webhook-signature'] ?? '';

  it.each([
    ['a signature by another secret', () => headersOf([otherSecret])],
    ['a signature for another id', () => ({ ...headersOf([secret]), 'webhook-id': `${id}x` })],
    [
      'a signature for another time',
      () => ({ ...headersOf([secret]), 'webhook-timestamp': webhookTimestampHeader(new Date(now.getTime() + 1000)) }),
    ],
    ['a signature without a version', () => ({ ...headersOf([secret]), 'webhook-signature': signatureOf().slice(3) })],
    [
      'a signature of another version',
      () => ({ ...headersOf([secret]), 'webhook-signature': signatureOf().replace('v1', 'v2') }),
    ],
    ['a truncated signature', () => ({ ...headersOf([secret]), 'webhook-signature': signatureOf().slice(0, -2) })],
    [
      'a signature with appended characters',
      () => ({ ...headersOf([secret]), 'webhook-signature': `${signatureOf()},x` }),
    ],
    ['an empty signature', () => ({ ...headersOf([secret]), 'webhook-signature': 'v1,' })],
    [
      'signatures that are separated by a comma',
      () => ({ ...headersOf([secret]), 'webhook-signature': `${signatureOf()},${signatureOf()}` }),
    ],
  ])('refuses %s', (_name, headers) => {
    expect(refusalOf(() => verify(headers()))).toBe('signature_mismatch');
  });

  it('refuses a body with one byte added, and the same text in another encoding', () => {
    expect(refusalOf(() => verify(headersOf([secret]), [secret], Buffer.from(`${body} `)))).toBe('signature_mismatch');
    expect(refusalOf(() => verify(headersOf([secret]), [secret], Buffer.from(body, 'utf16le')))).toBe(
      'signature_mismatch',
    );
  });

  it('accepts a body of bytes that are not text, and refuses the text to which they decode', () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe]);
    const headers = {
      ...headersOf([secret]),
      'webhook-signature': signWebhook({ secrets: [secret], id, timestamp: now, body: bytes }),
    };
    expect(verify(headers, [secret], bytes).id).toBe(id);
    expect(refusalOf(() => verify(headers, [secret], Buffer.from(bytes.toString('utf8'))))).toBe('signature_mismatch');
  });

  it('refuses a signed message when there is no secret', () => {
    expect(refusalOf(() => verify(headersOf([secret]), []))).toBe('signature_mismatch');
  });
});

describe('signWebhook', () => {
  it('creates signatures that the standardwebhooks library accepts', () => {
    const timestamp = new Date();
    expect(new Webhook(secret).verify(body, headersOf([secret], timestamp))).toEqual(JSON.parse(body));
    expect(() => new Webhook(otherSecret).verify(body, headersOf([secret], timestamp))).toThrow(
      'No matching signature',
    );
  });

  it('signs with each secret, so that the library accepts the message with either secret', () => {
    const headers = headersOf([secret, otherSecret], new Date());
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    for (const one of [secret, otherSecret]) expect(new Webhook(one).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('creates the same signature with a secret as with the key that `webhookKey` makes from it', () => {
    const message = { id, timestamp: now, body };
    expect(signWebhook({ ...message, secrets: [webhookKey(secret)] })).toBe(
      signWebhook({ ...message, secrets: [secret] }),
    );
    expect(() => webhookKey('whsec_short')).toThrow(InvalidSecretError);
  });

  it('creates the signature of the specification’s example', () => {
    const signature = signWebhook({
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: new Date(1614265330 * 1000),
      body: '{"test": 2432232314}',
    });
    expect(signature).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('a webhook secret', () => {
  it('is created as whsec_ and the base64 of 32 random bytes', () => {
    expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newWebhookSecret()).not.toBe(newWebhookSecret());
  });

  it.each([
    ['no prefix', newWebhookSecret().slice(6)],
    ['no base64', `whsec_${'*'.repeat(43)}`],
    ['23 bytes', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['an empty text', ''],
  ])('is refused: %s', (_name, text) => {
    expect(() => assertWebhookSecret(text)).toThrow(InvalidSecretError);
    expect(() => verify(headersOf([secret]), [text])).toThrow(InvalidSecretError);
  });

  it.each([24, 64])('of %i bytes is accepted', (bytes) => {
    expect(() => assertWebhookSecret(`whsec_${Buffer.alloc(bytes).toString('base64')}`)).not.toThrow();
  });
});
