import { newWebhookSecret } from '@tandem/auth';
import { purchase, signedHeaders, webhook } from './billing-provider';
import { ARRAY_PATH, IngestApp, PAYMENT_PATH, postTo } from './ingest-app';

describe('the metrics of webhooks', () => {
  let ingest: IngestApp;
  beforeAll(async () => {
    ingest = await IngestApp.start();
  });
  afterAll(() => ingest.stop());

  const counts = async (integration: string): Promise<Record<string, number>> => {
    const text = await (await fetch(`${ingest.running.url}/metrics`)).text();
    const pattern = new RegExp(
      `^webhooks_received_total\\{integration="${integration}",outcome="(\\w+)"\\} (\\d+)$`,
      'gm',
    );
    return Object.fromEntries([...text.matchAll(pattern)].map(([, outcome, count]) => [outcome, Number(count)]));
  };

  it('are 0 for every integration and outcome after the start, and then count each webhook once', async () => {
    const none = { accepted: 0, duplicate: 0, ignored: 0, invalid: 0, unauthorized: 0 };
    expect([await counts('payments'), await counts('array')]).toEqual([none, none]);

    const body = purchase();
    await ingest.send(body);
    await ingest.send(body);
    await ingest.send(webhook('other', {}, { id: 'evt_counted' }));
    await ingest.send(purchase({ data: { amount: 5 } }));
    for (const path of [PAYMENT_PATH, ARRAY_PATH]) {
      const text = JSON.stringify(body);
      await postTo(`${ingest.running.url}${path}`, text, signedHeaders(text, [newWebhookSecret()]));
    }

    expect(await counts('payments')).toEqual({ accepted: 1, duplicate: 1, ignored: 1, invalid: 1, unauthorized: 1 });
    expect(await counts('array')).toEqual({ ...none, unauthorized: 1 });
  });
});
