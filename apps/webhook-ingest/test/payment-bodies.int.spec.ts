import { purchase } from './billing-provider';
import { ARRAY_PATH, IngestApp, PAYMENT_PATH, PLAN_CHANGE_PATH } from './ingest-app';

let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start();
});
afterAll(() => ingest.stop());

describe('POST /idp/payments/webhook with an invalid body', () => {
  const bytes = JSON.stringify(purchase());

  it.each<[string, string | Buffer, RegExp]>([
    ['an empty body', '', /^body: /],
    ['broken JSON', '{"id":', /^body: must be JSON/],
    ['a number', '5', /^body: must be a JSON object/],
    ['null', 'null', /^body: must be a JSON object/],
    ['an array', `[${bytes}]`, /^body: must be a JSON object/],
    ['two documents', `${bytes}${bytes}`, /^body: must be JSON/],
    ['a byte order mark', `\ufeff${bytes}`, /^body: must be JSON/],
    ['UTF-16', Buffer.from(bytes, 'utf16le'), /^body: /],
    [
      'broken UTF-8',
      Buffer.concat([Buffer.from('{"id":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      /^body: must be UTF-8/,
    ],
    ['100,000 nested arrays', '['.repeat(100_000) + ']'.repeat(100_000), /^body: must not be nested/],
    [
      '100,000 nested arrays in a field',
      `{"id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      /^body: must not be nested/,
    ],
  ])('answers 400 to %s', async (_name, body, error) => {
    await ingest.expectRefused(() => ingest.send(body), 400, error);
  });

  it('answers 413 to more than 256 KiB, and accepts exactly 256 KiB [webhooks.size]', async () => {
    const body = purchase({ filler: '' });
    const filled = (length: number): string =>
      JSON.stringify({ ...body, filler: 'x'.repeat(length - JSON.stringify(body).length) });
    await ingest.expectRefused(() => ingest.send(filled(256 * 1024 + 1)), 413);
    const largest = filled(256 * 1024);
    await ingest.expectStored(await ingest.send(largest), body, largest, 'accepted');
  });

  it('answers 400 without repeating the sent values', async () => {
    const body = purchase({
      customer: { email: 'not an address needle' },
      data: { amount: 'needle', paymentStatus: 'needle' },
    });
    const answer = await ingest.expectRefused(() => ingest.send(body), 400, /data\.customer\.email: .*data\.amount: /);
    expect(JSON.stringify(answer.body)).not.toContain('needle');
  });
});

describe('the paths of webhooks', () => {
  it.each([PAYMENT_PATH, PLAN_CHANGE_PATH, ARRAY_PATH])('answer 405 with Allow to GET %s', async (path) => {
    const response = await fetch(ingest.running.url + path);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });

  it('are the only paths under /idp/: a request for another path gets 404', async () => {
    const response = await fetch(`${ingest.running.url}/idp/payments/other`, { method: 'POST' });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: expect.any(String) });
  });
});
