import { ENROLLMENT_SYNC } from '@tandem/contracts';
import { purchase, webhook } from './billing-provider';
import { IngestApp, PLAN_CHANGE_PATH } from './ingest-app';

const KRN = 'krn:eu:tandem:user:u-1';

describe('enrollment.sync', () => {
  let ingest: IngestApp;
  beforeAll(async () => {
    ingest = await IngestApp.start();
  });
  afterAll(() => ingest.stop());

  const published = (subscriptionId: string) =>
    ingest.database.query<{ key: string; data: object }>(
      `select key, data from public.outbox_copy where topic = $1 and data -> 'subscription' ->> 'subscriptionId' = $2`,
      [ENROLLMENT_SYNC.topic, subscriptionId],
    );

  it('is published once for a purchase that names its user, with the KRN as its key [idp-payments.sync]', async () => {
    const body = purchase();
    await Promise.all([ingest.send(body), ingest.send(body)]);
    const { subscriptionId } = body.data;
    expect(await published(subscriptionId)).toEqual([
      {
        key: KRN,
        data: {
          krn: KRN,
          cause: 'subscription',
          subscription: {
            subscriptionId,
            type: 'purchased',
            occurredAt: '2025-11-20T10:15:30.500Z',
            entitlements: ['idp.identity', 'idp.titles'],
            paymentStatus: 'captured',
          },
        },
      },
    ]);
  });

  it('is published for a purchase without a KRN, with the subscription as its key [idp-payments.without-krn]', async () => {
    const body = purchase({ customer: { krn: undefined } });
    await ingest.send(body);
    const { subscriptionId } = body.data;
    expect(await published(subscriptionId)).toEqual([
      {
        key: subscriptionId,
        data: { cause: 'subscription', subscription: expect.objectContaining({ subscriptionId }) },
      },
    ]);
  });

  it('is not published for a coupon', async () => {
    const subscriptionId = 'sub-coupon';
    const redeemed = { couponCode: 'ABCD-EFGH', subscriptionId, redeemedAt: '2025-11-20T10:00:00Z' };
    await ingest.send(webhook('coupon.redeemed', redeemed));
    expect(await published(subscriptionId)).toEqual([]);
  });

  it.each(['renewed', 'cancelled', 'expired', 'refunded', 'charged_back'])(
    'is published for subscription.%s, with the subscription as its key if no user is named [idp-payments.sync]',
    async (type) => {
      const subscriptionId = `sub-${type}`;
      const data = { subscriptionId, customer: {}, effectiveAt: '2026-01-01T00:00:00Z' };
      await ingest.send(webhook(`subscription.${type}`, data));
      expect(await published(subscriptionId)).toEqual([
        {
          key: subscriptionId,
          data: {
            cause: 'subscription',
            subscription: {
              subscriptionId,
              type,
              occurredAt: '2025-11-20T10:00:00.000Z',
              effectiveAt: '2026-01-01T00:00:00.000Z',
            },
          },
        },
      ]);
    },
  );

  it('is published for a change of plan', async () => {
    const subscriptionId = 'sub-plan';
    const data = {
      subscriptionId,
      customer: { krn: KRN },
      fromPlan: 'pro',
      toPlan: 'advanced',
      entitlements: ['idp.identity'],
      effectiveAt: '2026-01-01T00:00:00Z',
    };
    await ingest.send(webhook('subscription.plan_changed', data), PLAN_CHANGE_PATH);
    expect(await published(subscriptionId)).toMatchObject([
      { key: KRN, data: { subscription: { type: 'plan_changed', entitlements: ['idp.identity'] } } },
    ]);
  });
});
