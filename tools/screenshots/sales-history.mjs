import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);
const { billingWebhook, deliverWebhook, purchaseData, refundWebhook, signable } = load('@tandem/stack-client');

const DAY_MS = 86_400_000;
/** The number of sales on each of the last 30 days, oldest first, for the chart of a month. */
const SALES_BY_DAY = [1, 2, 1, 3, 2, 4, 3, 2, 4, 5, 3, 4, 6, 5, 4, 6, 7, 5, 6, 8, 6, 7, 9, 8, 7, 9, 10, 8, 11, 6];
/** Every 13th sale is refunded. */
const REFUND_EVERY = 13;

/** Creates sales with a promotion code on each of the last 30 days: sends webhooks of purchases at those times. The refunds have the present time. */
export async function sellForAMonth(stack, promotionCode) {
  const target = {
    webhookUrl: `${stack.baseUrl}/idp/payments/webhook`,
    secret: stack.webhooks.payments.secret,
  };
  const today = Date.now();
  let count = 0;
  for (const [day, sales] of SALES_BY_DAY.entries()) {
    const timestamp = new Date(today - (SALES_BY_DAY.length - 1 - day) * DAY_MS);
    await Promise.all(
      Array.from({ length: sales }, async () => {
        count += 1;
        const refunded = count % REFUND_EVERY === 0;
        const subscriptionId = `sub_${randomUUID().replaceAll('-', '').slice(0, 16)}`;
        const data = purchaseData({
          subscriptionId,
          plan: count % 3 === 0 ? 'pro' : 'advanced',
          attribution: { promotionCode },
        });
        await deliverWebhook(target, signable(billingWebhook('purchased', data, { timestamp })));
        if (refunded) await deliverWebhook(target, signable(refundWebhook(subscriptionId)));
      }),
    );
  }
}
