import { purchase, webhook } from './billing-provider';
import { IngestApp, PLAN_CHANGE_PATH } from './ingest-app';

let ingest: IngestApp;

beforeAll(async () => {
  ingest = await IngestApp.start();
});
afterAll(() => ingest.stop());

const subscription = { subscriptionId: 'sub_1', customer: { krn: 'krn:eu:tandem:user:u-1' } };

describe('POST /idp/payments/webhook/plan-change', () => {
  const data = {
    ...subscription,
    fromPlan: 'advanced',
    toPlan: 'pro',
    entitlements: ['idp.identity'],
    effectiveAt: '2025-12-01T00:00:00Z',
  };

  it('publishes the previous and the new plan', async () => {
    const body = webhook('subscription.plan_changed', data);
    const event = await ingest.expectStored(
      await ingest.send(body, PLAN_CHANGE_PATH),
      body,
      JSON.stringify(body),
      'accepted',
    );
    expect(event).toEqual({
      paymentId: body.id,
      type: 'subscription.plan_changed',
      occurredAt: '2025-11-20T10:00:00.000Z',
      ...subscription,
      fromPlan: 'advanced',
      plan: 'pro',
      entitlements: ['idp.identity'],
      effectiveAt: '2025-12-01T00:00:00.000Z',
    });
  });

  it('refuses a known type other than a plan change [webhooks.payments-types]', async () => {
    await ingest.expectRefused(() => ingest.send(purchase(), PLAN_CHANGE_PATH), 400, /^type: /);
  });

  it.each(['subscription.paused', 'constructor', ''])(
    'refuses the unknown type %j [webhooks.payments-types]',
    async (type) => {
      await ingest.expectRefused(() => ingest.send(webhook(type, data), PLAN_CHANGE_PATH), 400, /^type: /);
    },
  );

  it.each(['subscriptionId', 'customer', 'fromPlan', 'toPlan', 'entitlements', 'effectiveAt'])(
    'refuses a body without %s, and names the missing field',
    async (field) => {
      const body = webhook('subscription.plan_changed', { ...data, [field]: undefined });
      await ingest.expectRefused(() => ingest.send(body, PLAN_CHANGE_PATH), 400, new RegExp(`^data\\.${field}: `));
    },
  );

  it('refuses a customer without a KRN', async () => {
    const body = webhook('subscription.plan_changed', { ...data, customer: {} });
    await ingest.expectRefused(() => ingest.send(body, PLAN_CHANGE_PATH), 400, /^data\.customer\.krn: /);
  });
});
