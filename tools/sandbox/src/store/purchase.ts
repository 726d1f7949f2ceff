import { randomBytes } from 'node:crypto';
import { SandboxError } from '../errors';
import type { CheckoutLink, CheckoutLinks } from './checkout-link';
import type { WebhookResult } from '../webhook/signed-webhooks';
import type { PaymentsWebhooks } from './payments-webhooks';
import { decimal, discounted, isPlan, PLANS, type Plan } from './plans';
import {
  appliedChange,
  type Change,
  CHANGES,
  type PaymentStatus,
  type Subscription,
  type SubscriptionBook,
} from './subscription-book';

/** The order of a customer. */
export interface Order {
  checkoutUrl?: string;
  promotionCode?: string;
  data4?: string;
  email: string;
  krn?: string;
  plan?: Plan;
  quantity?: number;
  currency?: string;
  couponCode?: string;
  paymentStatus?: PaymentStatus;
}

export interface Receipt {
  subscriptionId: string;
  webhook: WebhookResult;
}

/** Sells plans, changes subscriptions, and sends the payments webhook for each sale and change. */
export class PurchaseDesk {
  constructor(
    private readonly webhooks: PaymentsWebhooks,
    private readonly book: SubscriptionBook,
    private readonly links: CheckoutLinks,
  ) {}

  /** Sells a plan. The subscription exists even when its webhook is not accepted, as with a real payment provider. */
  async buy(order: Order): Promise<Receipt> {
    const link = this.#readLink(order);
    const plan = order.plan ?? link.plan;
    const quantity = order.quantity ?? 1;
    const unit = discounted(PLANS[plan].cents, link.discount?.percentOff ?? 0);
    const subscriptionId = `sub_${randomBytes(12).toString('hex')}`;
    const currency = order.currency ?? link.currency;
    const amount = decimal(unit * quantity);
    const paymentStatus = order.paymentStatus ?? 'captured';
    const sale = { at: new Date().toISOString(), plan, amount, currency, paymentStatus };
    this.book.save({ subscriptionId, plan, ...(order.krn && { krn: order.krn }), sale });
    const webhook = await this.webhooks.send('subscription.purchased', {
      subscriptionId,
      customer: { ...(order.krn && { krn: order.krn }), email: order.email },
      plan,
      entitlements: PLANS[plan].entitlements,
      currency,
      amount,
      paymentStatus,
      firstPayment: true,
      items: [{ price: decimal(unit), quantity, category: `${PLANS[plan].name} plan, 12 months`, tier: plan }],
      ...attributionOf(order, link),
      ...(order.couponCode && { couponCode: order.couponCode }),
    });
    return { subscriptionId, webhook };
  }

  /**
   * Sends the webhook of a renewal, cancellation, expiry, refund or chargeback. `effectiveAt` is only a field of the webhook, which is
   * sent immediately.
   * @throws SandboxError 404 for an unknown subscription
   */
  async change(subscriptionId: string, change: Change, effectiveAt?: string): Promise<Receipt> {
    const { plan, krn } = this.book.get(subscriptionId);
    const webhook = await this.webhooks.send(CHANGES[change], {
      subscriptionId,
      customer: { ...(krn && { krn }) },
      plan,
      entitlements: PLANS[plan].entitlements,
      ...(effectiveAt && { effectiveAt }),
    });
    const subscription = this.book.get(subscriptionId);
    const before = appliedChange(subscription);
    this.book.save({ ...subscription, lastChange: { change, webhook, ...(before && { before }) } });
    return { subscriptionId, webhook };
  }

  /**
   * Changes the plan of a subscription.
   * @throws SandboxError 404 for an unknown subscription; 409 when the subscription is on this plan, or was bought without a `krn`
   */
  async changePlan(subscriptionId: string, toPlan: Plan, effectiveAt = new Date().toISOString()): Promise<Receipt> {
    const subscription = this.book.get(subscriptionId);
    if (!subscription.krn)
      throw new SandboxError(409, `${subscriptionId} was bought without a krn: its plan cannot change`);
    if (subscription.plan === toPlan) throw new SandboxError(409, `${subscriptionId} is on plan ${toPlan} already`);
    // A sale that an earlier version of the sandbox stored has no plan. If the plan was never changed, the present plan of the subscription is the
    // plan that was sold.
    const sale = subscription.sale && { plan: subscription.plan, ...subscription.sale };
    const changed: Subscription = { ...subscription, plan: toPlan, ...(sale && { sale }) };
    this.book.save(changed);
    const webhook = await this.webhooks.send('subscription.plan_changed', {
      subscriptionId,
      customer: { krn: subscription.krn },
      fromPlan: subscription.plan,
      toPlan,
      entitlements: PLANS[toPlan].entitlements,
      effectiveAt,
    });
    return { subscriptionId, webhook };
  }

  #readLink({ checkoutUrl }: Order): CheckoutLink {
    const now = new Date();
    if (checkoutUrl === undefined) return this.links.read(new URLSearchParams(), now);
    if (!URL.canParse(checkoutUrl)) throw new SandboxError(400, 'checkoutUrl: must be a whole URL');
    const query = new URL(checkoutUrl).searchParams;
    const plan = query.get('plan');
    if (plan !== null && !isPlan(plan)) throw new SandboxError(400, `checkoutUrl: the store has no plan "${plan}"`);
    return this.links.read(query, now);
  }
}

/** Returns the field `attribution` of the webhook; no field when neither the order nor the checkout URL has data for it. */
function attributionOf(order: Order, link: CheckoutLink): { attribution?: object } {
  const data4 = order.data4 ?? link.data4;
  const attribution = {
    ...(link.checkoutToken && { checkoutToken: link.checkoutToken }),
    ...(order.promotionCode && { promotionCode: order.promotionCode }),
    ...(data4 !== undefined && { data4 }),
  };
  return Object.keys(attribution).length > 0 ? { attribution } : {};
}
