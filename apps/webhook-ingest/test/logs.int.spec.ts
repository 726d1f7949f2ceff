import type { LoggerService } from '@nestjs/common';
import { purchase, webhook } from './billing-provider';
import { IngestApp, PAYMENT_PATH, secret } from './ingest-app';

let ingest: IngestApp;
const lines: unknown[] = [];
const keep = (...parts: unknown[]): void => void lines.push(...parts);
const logger: LoggerService = { log: keep, warn: keep, error: keep, debug: keep, verbose: keep };

beforeAll(async () => {
  ingest = await IngestApp.start();
  ingest.running.nest.useLogger(logger);
});
beforeEach(() => void lines.splice(0));
afterAll(() => ingest.stop());

const canonical = (): unknown[] => lines.filter((line) => (line as { msg?: unknown }).msg === 'webhook.received');

describe('the log of a webhook', () => {
  it.each<[string, () => object | string, object]>([
    [
      'accepted',
      () => purchase({ id: 'evt_logged' }),
      { outcome: 'accepted', webhook: 'evt_logged', type: 'subscription.purchased' },
    ],
    ['a duplicate', () => purchase({ id: 'evt_logged' }), { outcome: 'duplicate', webhook: 'evt_logged' }],
    [
      'of an unknown type',
      () => webhook('other', {}, { id: 'evt_other' }),
      { outcome: 'ignored', webhook: 'evt_other', type: 'other' },
    ],
    [
      'invalid',
      () => purchase({ data: { amount: 5 } }),
      { outcome: 'invalid', problems: expect.stringContaining('data.amount') },
    ],
  ])('is one line when it is %s', async (_name, body, line) => {
    await ingest.send(body());
    expect(canonical()).toEqual([expect.objectContaining({ path: PAYMENT_PATH, ...line })]);
  });

  it('is one line with the reason when it is unauthorized', async () => {
    await ingest.post(PAYMENT_PATH, '{}', {});
    expect(canonical()).toEqual([
      { msg: 'webhook.received', outcome: 'unauthorized', reason: 'no_credentials', path: PAYMENT_PATH },
    ]);
  });

  it('has no body, e-mail or secret, whatever happens', async () => {
    const needle = 'needle.person';
    await ingest.send(purchase({ customer: { email: `${needle}@example.com` } }));
    await ingest.send(purchase({ customer: { email: `${needle}` } }));
    await ingest.send(`{"email":"${needle}"`);
    await ingest.post(PAYMENT_PATH, JSON.stringify({ needle }), { authorization: `Bearer ${needle}` });
    await ingest.post(PAYMENT_PATH, '{}', { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': needle });
    const text = JSON.stringify(lines);
    expect(text).toContain('webhook.received');
    expect(text).not.toContain(needle);
    expect(text).not.toContain(secret.slice(6));
  });
});
