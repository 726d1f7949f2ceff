import { couponHash, emailHash, maskEmail, type PaymentReceived, type Purchase } from '@tandem/contracts';
import type { PurchasedDto } from './payment-webhook.dto';
import { parseTimestamp } from '@tandem/service-defaults';
import type { PaymentWebhook } from './payment-webhook.rules';

type KnownPayment = NonNullable<PaymentWebhook['known']>;

/** The keys of what may be compared, but not told. */
export interface HashKeys {
  readonly email: Buffer;
  readonly coupon: Buffer;
}

/**
 * What the platform learns of a webhook. The e-mail address ends here: masked for people, hashed for comparing. So does the
 * code of a coupon, which whoever has it can redeem: only its hash goes on.
 * Fields that were left out, or null, are left out.
 */
export function paymentReceived(
  paymentId: string,
  timestamp: string,
  known: KnownPayment,
  keys: HashKeys,
): PaymentReceived {
  return {
    paymentId,
    type: known.type,
    occurredAt: utc(timestamp),
    subscriptionId: known.data.subscriptionId,
    ...detailsOf(known, keys),
  };
}

function detailsOf(known: KnownPayment, keys: HashKeys): Partial<PaymentReceived> {
  switch (known.type) {
    case 'subscription.purchased': {
      const { customer, plan, entitlements } = known.data;
      const { krn, email } = customer;
      const masked = { emailMasked: maskEmail(email), emailHash: emailHash(email, keys.email) };
      return {
        customer: { ...present({ krn }), ...masked },
        plan,
        entitlements,
        purchase: purchaseOf(known.data, keys),
      };
    }
    case 'subscription.plan_changed': {
      const { customer, fromPlan, toPlan, entitlements, effectiveAt } = known.data;
      return { customer: { krn: customer.krn }, fromPlan, plan: toPlan, entitlements, effectiveAt: utc(effectiveAt) };
    }
    case 'coupon.redeemed':
      return {
        couponHash: couponHash(known.data.couponCode, keys.coupon),
        redeemedAt: utc(known.data.redeemedAt),
      };
    default: {
      const { customer, plan, entitlements, effectiveAt } = known.data;
      const at = effectiveAt ? { effectiveAt: utc(effectiveAt) } : {};
      return { customer: present({ krn: customer.krn }), ...present({ plan, entitlements }), ...at };
    }
  }
}

function purchaseOf(data: PurchasedDto, keys: HashKeys): Purchase {
  const { currency, amount, paymentStatus, firstPayment, items, attribution, couponCode } = data;
  const { checkoutToken, promotionCode, data4 } = attribution ?? {};
  return {
    currency,
    amount,
    paymentStatus,
    firstPayment,
    items: items.map(({ price, quantity, category, tier }) => ({
      price,
      quantity: quantity ?? 1,
      category,
      ...present({ tier }),
    })),
    ...(attribution ? { attribution: present({ checkoutToken, promotionCode, data4 }) } : {}),
    ...(couponCode ? { couponHash: couponHash(couponCode, keys.coupon) } : {}),
  };
}

/** A validated timestamp as ISO 8601 in UTC. */
function utc(timestamp: string): string {
  return (parseTimestamp(timestamp) as Date).toISOString();
}

/** Without what is undefined or null. */
function present<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
