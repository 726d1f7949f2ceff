import type { CheckoutTokens } from '@tandem/auth';
import {
  couponHash,
  emailHash,
  maskEmail,
  type PaymentReceived,
  type Purchase,
  type PurchaseAttribution,
} from '@tandem/contracts';
import type { AttributionDto, PurchasedDto } from './payment-webhook.dto';
import { parseTimestamp } from '@tandem/http-api';
import type { PaymentWebhook } from './payment-webhook.rules';

type KnownPayment = NonNullable<PaymentWebhook['known']>;

/**
 * The keys for values that must not be published: e-mail addresses and coupon codes are hashed, and checkout tokens are verified.
 */
export interface EventKeys {
  readonly email: Buffer;
  readonly coupon: Buffer;
  readonly checkout: CheckoutTokens;
}

/**
 * Returns the data of the event `payment.received`. The e-mail address is published only in masked form, for people, and as a hash, for
 * comparisons. The code of a coupon is published only as a hash, because anyone who knows the code could redeem the coupon. The checkout
 * token is not published, because anyone who has the token could attribute sales. It is replaced by its partner, promotion, environment and
 * reference, or by the reason why it was refused. Fields that are missing or null are omitted, except the quantity, which becomes 1.
 */
export function paymentReceived(
  paymentId: string,
  timestamp: string,
  known: KnownPayment,
  keys: EventKeys,
): PaymentReceived {
  return {
    paymentId,
    type: known.type,
    occurredAt: utc(timestamp),
    subscriptionId: known.data.subscriptionId,
    ...detailsOf(known, timestamp, keys),
  };
}

function detailsOf(known: KnownPayment, timestamp: string, keys: EventKeys): Partial<PaymentReceived> {
  switch (known.type) {
    case 'subscription.purchased': {
      const { customer, plan, entitlements } = known.data;
      const { krn, email } = customer;
      const masked = { emailMasked: maskEmail(email), emailHash: emailHash(email, keys.email) };
      return {
        customer: { ...present({ krn }), ...masked },
        plan,
        entitlements,
        purchase: purchaseOf(known.data, utc(timestamp), keys),
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

function purchaseOf(data: PurchasedDto, soldAt: string, keys: EventKeys): Purchase {
  const { currency, amount, paymentStatus, firstPayment, items, attribution, couponCode } = data;
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
    ...(attribution ? { attribution: attributionOf(attribution, new Date(soldAt), keys.checkout) } : {}),
    ...(couponCode ? { couponHash: couponHash(couponCode, keys.coupon) } : {}),
  };
}

function attributionOf(
  { checkoutToken, promotionCode, data4 }: AttributionDto,
  soldAt: Date,
  tokens: CheckoutTokens,
): PurchaseAttribution {
  const others = present({ promotionCode, data4 });
  if (!checkoutToken) return others;
  const { claims, fault } = tokens.verify(checkoutToken, soldAt);
  if (fault !== null) return { checkoutFault: fault, ...others };
  const { partnerId, promotionId, environment, refId } = claims;
  return { checkout: { partnerId, promotionId, environment, ...present({ refId }) }, ...others };
}

/** Converts a timestamp, which was validated before, to ISO 8601 in UTC. */
function utc(timestamp: string): string {
  return (parseTimestamp(timestamp) as Date).toISOString();
}

/** Returns the object without the properties that are undefined or null. */
function present<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
