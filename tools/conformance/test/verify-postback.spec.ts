import { newWebhookSecret, signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { LANGUAGES, SampleEndpoint, type SampleSettings } from './sample-endpoint';

const SECRET = newWebhookSecret();
const NEXT_SECRET = newWebhookSecret();
const AUTHORIZATION = 'Bearer my-own-key';
// This body changes when a partner parses it and serializes it again: its spaces and escapes are lost.
const BODY = '{"oid":"sub_1", "sharedId":"Zo\\u00eb 😀","emailMasked":"j***e@example.com","currency":"USD","items":[]}';

interface Message {
  secrets?: string[];
  body?: string;
  ageSeconds?: number;
}

/** Returns the headers of a postback, as the platform sends them. */
function signed({ secrets = [SECRET], body = BODY, ageSeconds = 0 }: Message = {}): Record<string, string> {
  const id = randomUUID();
  const timestamp = new Date(Date.now() - ageSeconds * 1000);
  return {
    authorization: AUTHORIZATION,
    'webhook-id': id,
    'webhook-timestamp': webhookTimestampHeader(timestamp),
    'webhook-signature': signWebhook({ secrets, id, timestamp, body }),
  };
}

const without = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(signed()).filter(([header]) => header !== name));

const inVersion2 = (headers: Record<string, string>): Record<string, string> => ({
  ...headers,
  'webhook-signature': (headers['webhook-signature'] ?? '').replace('v1', 'v2'),
});

describe.each(LANGUAGES.installed)('the sample in %s', (language) => {
  let endpoint: SampleEndpoint;

  // The sample in Go is compiled first, which can take minutes.
  beforeAll(async () => {
    endpoint = await SampleEndpoint.start(language, {
      POSTBACK_AUTHORIZATION: AUTHORIZATION,
      POSTBACK_SIGNING_SECRETS: `${SECRET} ${NEXT_SECRET}`,
    });
  }, 180_000);
  afterAll(() => endpoint?.stop());

  it('accepts the platform’s signature [postback-headers.verifiable]', async () => {
    expect(await endpoint.post(signed(), BODY)).toEqual({ status: 200, text: 'handled' });
  });

  it('answers "sample" to the sample postback that POST /partner/postback/test sends', async () => {
    const body = '{"oid":"test_1","sharedId":"","emailMasked":"","currency":"USD","items":[]}';
    expect(await endpoint.post(signed({ body }), body)).toEqual({ status: 200, text: 'sample' });
  });

  it('accepts the standardwebhooks library’s signature [postback-headers.verifiable]', async () => {
    const headers = signed();
    const signature = new Webhook(SECRET).sign(headers['webhook-id'] as string, new Date(), BODY);
    expect(await endpoint.post({ ...headers, 'webhook-signature': signature }, BODY)).toMatchObject({ status: 200 });
  });

  it('accepts one valid signature among other signatures, and both secrets during a rotation', async () => {
    for (const secrets of [[newWebhookSecret(), SECRET], [NEXT_SECRET], [NEXT_SECRET, SECRET]]) {
      const headers = signed({ secrets });
      headers['webhook-signature'] = `v1a,abc v2,xyz v1, ${headers['webhook-signature']} v1,AAAA`;
      expect(await endpoint.post(headers, BODY)).toMatchObject({ status: 200 });
    }
  });

  it('accepts a postback that is 290 s old', async () => {
    expect(await endpoint.post(signed({ ageSeconds: 290 }), BODY)).toMatchObject({ status: 200 });
  });

  it('handles a postback only once when it arrives twice', async () => {
    const [first, second] = [signed(), signed()];
    expect((await endpoint.post(first, BODY)).text).toBe('handled');
    expect(await endpoint.post(first, BODY)).toEqual({ status: 200, text: 'handled before' });
    expect((await endpoint.post(second, BODY)).text).toBe('handled');
  });

  it('recognizes a closed sale and an unknown event by the signed body, not by the X-Event header', async () => {
    const notice = JSON.stringify({ event: 'sale.closed', oid: 'sub_1', sharedId: '', status: 'refunded', at: '' });
    const other = JSON.stringify({ event: 'sale.disputed', oid: 5, items: {}, status: 1 });
    for (const [body, text] of [
      [notice, 'closed'],
      [other, 'ignored'],
    ] as const)
      expect(await endpoint.post({ ...signed({ body }), 'x-event': 'sale' }, body)).toEqual({ status: 200, text });
  });

  it.each([
    'no JSON',
    '[]',
    '"x"',
    '{}',
    'null',
    '{"oid":"sub_1"}',
    '{"oid":5,"items":[]}',
    '{"event":"sale.closed","oid":"sub_1"}',
  ])('answers 401, as the SDKs do, when the signed body is %s', async (body) => {
    expect((await endpoint.post(signed({ body }), body)).status).toBe(401);
  });

  it('answers 413 to a body that is longer than 1 MiB, and then accepts a shorter one', async () => {
    const mebibyte = 1024 * 1024;
    for (const [bytes, status] of [
      [mebibyte + 1, 413],
      [4 * mebibyte, 413],
      [mebibyte, 200],
    ] as const) {
      const body = BODY + ' '.repeat(bytes - Buffer.byteLength(BODY));
      expect(await endpoint.post(signed({ body }), body)).toMatchObject({ status });
    }
  });

  it.each<[string, () => Record<string, string>, string?]>([
    ['a changed body', () => signed(), BODY.replace('sub_1', 'sub_2')],
    ['the same JSON, serialized differently', () => signed(), JSON.stringify(JSON.parse(BODY))],
    ['an old timestamp', () => signed({ ageSeconds: 310 })],
    ['a timestamp in the future', () => signed({ ageSeconds: -310 })],
    ['a timestamp that is not a number', () => ({ ...signed(), 'webhook-timestamp': '1e9' })],
    [
      'a timestamp that differs from the signed one',
      () => ({ ...signed(), 'webhook-timestamp': webhookTimestampHeader(new Date(Date.now() - 5000)) }),
    ],
    ['an id that differs from the signed one', () => ({ ...signed(), 'webhook-id': 'other' })],
    ['a wrong secret', () => signed({ secrets: [newWebhookSecret()] })],
    ['a part of the signature', () => ({ ...signed(), 'webhook-signature': 'v1,' })],
    ['the signature of another version', () => inVersion2(signed())],
    ['no authorization', () => without('authorization')],
    ['a wrong key', () => ({ ...signed(), authorization: 'Bearer my-other-key' })],
    ['the key with another authentication scheme', () => ({ ...signed(), authorization: 'Basic my-own-key' })],
    ['a part of the key', () => ({ ...signed(), authorization: 'Bearer my-own-ke' })],
    ['no id', () => without('webhook-id')],
    ['no timestamp', () => without('webhook-timestamp')],
    ['no signature', () => without('webhook-signature')],
  ])('refuses %s [postback-headers.verifiable]', async (_name, headers, body = BODY) => {
    expect((await endpoint.post(headers(), body)).status).toBe(401);
  });
});

// PHP is left out: PHP's own server starts even with a wrong setting, because the script runs only when a request arrives.
const PROGRAMS = LANGUAGES.installed.filter((language) => language !== 'php');
describe.each(PROGRAMS)('the sample in %s', (language) => {
  it.each<[string, SampleSettings, RegExp]>([
    [
      'POSTBACK_SIGNING_SECRETS',
      { POSTBACK_AUTHORIZATION: AUTHORIZATION },
      /during a rotation two of them, separated by a space/,
    ],
    [
      'POSTBACK_SIGNING_SECRETS',
      { POSTBACK_AUTHORIZATION: AUTHORIZATION, POSTBACK_SIGNING_SECRETS: 'secret' },
      /whsec_/,
    ],
    ['POSTBACK_AUTHORIZATION', { POSTBACK_SIGNING_SECRETS: SECRET }, /Bearer.*Basic/s],
  ])(
    'does not start without a valid %s, and names it [postback-headers.verifiable]',
    async (name, settings, explanation) => {
      const started = SampleEndpoint.start(language, settings).then((endpoint) => endpoint.stop());
      await expect(started).rejects.toThrow(explanation);
      await expect(started).rejects.toThrow(`the sample exited with 2: ${name} `);
    },
    180_000,
  );
});

if (LANGUAGES.missing.length > 0) {
  describe.skip.each(LANGUAGES.missing)('the sample in %s, which is not installed here', () => {
    it('is skipped', () => undefined);
  });
}
