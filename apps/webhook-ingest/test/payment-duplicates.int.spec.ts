import { purchase, webhook } from './billing-provider';
import { IngestApp, PLAN_CHANGE_PATH } from './ingest-app';

let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start();
});
afterAll(() => ingest.stop());

const subscription = { subscriptionId: 'sub_1', customer: { krn: 'krn:eu:tandem:user:u-1' } };

describe('POST /idp/payments/webhook with an id that was received before', () => {
  it('answers 200, and publishes no further payment.received', async () => {
    const body = purchase();
    const bytes = JSON.stringify(body);
    await ingest.expectStored(await ingest.send(bytes), body, bytes, 'accepted');
    await ingest.expectStored(await ingest.send(bytes), body, bytes, 'accepted');
  });

  it('keeps the first body, even if the second body differs', async () => {
    const first = purchase();
    const second = { ...purchase({ data: { amount: '1.00' } }), id: first.id };
    await ingest.send(first);
    await ingest.expectStored(await ingest.send(second), first, JSON.stringify(first), 'accepted');
  });

  it('publishes payment.received once for 20 concurrent requests', async () => {
    const body = purchase();
    const bytes = JSON.stringify(body);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ingest.send(bytes)));
    for (const answer of answers) await ingest.expectStored(answer, body, bytes, 'accepted');
  });

  it('publishes payment.received once for 10 concurrent requests at each of two replicas [webhooks.payments-duplicate]', () =>
    ingest.withReplica({}, async (other) => {
      const body = purchase();
      const bytes = JSON.stringify(body);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_unused, index) => (index % 2 ? ingest : other).send(bytes)),
      );
      for (const answer of answers) await ingest.expectStored(answer, body, bytes, 'accepted');
    }));

  it('detects a duplicate that arrives on the other path [webhooks.payments-duplicate]', async () => {
    const data = {
      ...subscription,
      fromPlan: 'vpn',
      toPlan: 'pro',
      entitlements: [],
      effectiveAt: '2025-12-01T00:00:00Z',
    };
    const body = webhook('subscription.plan_changed', data);
    const bytes = JSON.stringify(body);
    await ingest.expectStored(await ingest.send(bytes), body, bytes, 'accepted');
    await ingest.expectStored(await ingest.send(bytes, PLAN_CHANGE_PATH), body, bytes, 'accepted');
  });
});
