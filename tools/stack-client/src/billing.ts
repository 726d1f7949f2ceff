import { randomUUID } from 'node:crypto';
import type { SignedBody } from './webhooks';

const ADVANCED = ['idp.credit', 'idp.identity', 'idp.removal'];

/** The plans with identity protection: price and entitlements. */
export const PLANS = {
  advanced: { entitlements: ADVANCED, amount: '99.90', category: 'Advanced' },
  pro: { entitlements: [...ADVANCED, 'idp.titles'], amount: '129.95', category: 'Pro' },
} as const;

/** A purchase: the buyer, the plan, and the partner that it is attributed to. */
export interface Purchase {
  readonly subscriptionId: string;
  /** The plan; default: `advanced`. */
  readonly plan?: keyof typeof PLANS;
  /** The KRN of the user, for plans with identity protection. */
  readonly krn?: string;
  readonly attribution?: object;
}

/** The body of a billing webhook. */
export interface BillingWebhook {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: object;
}

/**
 * Returns a webhook of billing, by default for an event that happens now.
 * @param type the type without the prefix `subscription.`, such as `renewed`
 */
export const billingWebhook = (
  type: string,
  data: object,
  { id = `evt_${randomUUID()}`, timestamp = new Date() } = {},
): BillingWebhook => ({ id, type: `subscription.${type}`, timestamp: timestamp.toISOString(), data });

/** Returns the data of a purchase whose first payment is captured. */
export function purchaseData({ subscriptionId, plan = 'advanced', krn, attribution }: Purchase): object {
  const { entitlements, amount, category } = PLANS[plan];
  return {
    subscriptionId,
    customer: { ...(krn !== undefined && { krn }), email: `${subscriptionId}@example.com` },
    plan,
    entitlements,
    currency: 'USD',
    amount,
    paymentStatus: 'captured',
    firstPayment: true,
    items: [{ price: amount, quantity: 1, category, tier: plan }],
    ...(attribution !== undefined && { attribution }),
  };
}

/**
 * Returns the webhook of a purchase. For the same purchase each call returns the same event id, so that the webhook can
 * be sent again.
 */
export const purchaseWebhook = (purchase: Purchase): BillingWebhook =>
  billingWebhook('purchased', purchaseData(purchase), { id: `evt_${purchase.subscriptionId}` });

/** Returns the webhook of a refund. */
export const refundWebhook = (subscriptionId: string, krn?: string): BillingWebhook =>
  billingWebhook('refunded', { subscriptionId, customer: { ...(krn !== undefined && { krn }) } });

/** Returns the text and id of a webhook, to be signed. */
export const signable = (webhook: BillingWebhook): SignedBody => ({ id: webhook.id, body: JSON.stringify(webhook) });
