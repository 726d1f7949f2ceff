import type { CheckoutTokens } from '@tandem/auth';
import type { Environment, PaymentReceived, PaymentType, PurchaseAttribution } from '@tandem/contracts';
import { PermanentEventError, type ReceivedEvent } from '@tandem/messaging';
import type { SellingPromotions } from '../promotion/promotion.repository';
import { attribute, type AttributionResult, type CheckoutEvidence } from './attribution.rules';
import type { BuyerTime } from './fraud.rules';
import type { ClosedBy, Sale } from './sale.entity';
import { type PurchaseFacts, purchaseFacts } from './sale.rules';

interface PaymentBase {
  event: ReceivedEvent<PaymentReceived>;
  oid: string;
}

/** A refund or chargeback. */
export interface Closure extends PaymentBase {
  kind: 'closure';
  closedBy: ClosedBy;
  at: Date;
}

/** A first purchase. `token` and `code` refer to a partner; a property is null if the purchase has no such reference. */
export interface FirstPurchase extends PaymentBase {
  kind: 'purchase';
  facts: PurchaseFacts & { soldAt: Date };
  token: CheckoutEvidence | null;
  code: string | null;
  data4: string | undefined;
}

/** A payment event that concerns a sale. */
export type Payment = Closure | FirstPurchase;

/** A payment as {@link lookUp} returns it: a purchase also has the result of its attribution. */
export type LookedUpPayment = Closure | (FirstPurchase & { result: AttributionResult });

const CLOSURES: Partial<Record<PaymentType, ClosedBy>> = {
  'subscription.refunded': 'refunded',
  'subscription.charged_back': 'charged_back',
};

/** The types of payment events that concern sales, as quoted JSON strings. */
const QUOTED_SALE_TYPES = ['subscription.purchased', ...Object.keys(CLOSURES)].map((type) => Buffer.from(`"${type}"`));

/**
 * Returns whether a payment event may concern a sale. To avoid parsing the event, the function searches its JSON for each type that
 * concerns sales, as a quoted string. A type that is written with escapes is not found; `JSON.stringify` writes no escapes in a type.
 */
export const mayConcernSales = (value: Buffer): boolean => QUOTED_SALE_TYPES.some((type) => value.includes(type));

/**
 * Reads a payment event. Returns null for events that do not concern a sale. Only first purchases, refunds and chargebacks concern a sale.
 *
 * @throws PermanentEventError for an invalid event
 */
export function readPayment(event: ReceivedEvent<PaymentReceived>, tokens: CheckoutTokens): Payment | null {
  const { type, paymentId, subscriptionId: oid, occurredAt, purchase } = event.data;
  const at = new Date(occurredAt);
  if (Number.isNaN(at.getTime())) {
    throw new PermanentEventError(`occurredAt of payment ${paymentId} must be a date-time`);
  }
  const closedBy = CLOSURES[type];
  if (closedBy !== undefined) return { kind: 'closure', event, oid, closedBy, at };
  if (type !== 'subscription.purchased') return null;
  if (!purchase) throw new PermanentEventError(`the purchase of payment ${paymentId} is missing`);
  if (!purchase.firstPayment) return null;
  const { promotionCode, data4 } = purchase.attribution ?? {};
  return {
    kind: 'purchase',
    event,
    oid,
    facts: { ...purchaseFacts(event.data, purchase, at), soldAt: at },
    token: checkoutOf(purchase.attribution ?? {}, at, tokens),
    code: promotionCode || null,
    data4,
  };
}

/**
 * Returns the claims of the checkout token, the reason why the token is invalid, or null if the purchase has no token. webhook-ingest
 * verifies tokens and publishes the result. Its older versions published the token itself, which is verified here.
 */
function checkoutOf(
  { checkout, checkoutFault, checkoutToken }: PurchaseAttribution,
  at: Date,
  tokens: CheckoutTokens,
): CheckoutEvidence | null {
  if (checkout) return { claims: { ...checkout, refId: checkout.refId ?? null }, fault: null };
  if (checkoutFault) return { claims: null, fault: checkoutFault };
  return checkoutToken ? tokens.verify(checkoutToken, at) : null;
}

/** Returns the references to promotions in these payments: the promotion ids in valid tokens, and the codes. */
export function promotionsOf(payments: readonly Payment[]): { ids: Set<string>; codes: Set<string> } {
  const ids = new Set<string>();
  const codes = new Set<string>();
  for (const payment of payments) {
    if (payment.kind === 'closure') continue;
    const { token, code } = payment;
    if (token?.claims) ids.add(token.claims.promotionId);
    if (code !== null) codes.add(code);
  }
  return { ids, codes };
}

/**
 * Returns the ids of further promotions that are needed to decide these payments: the promotions of the stored sales of the same
 * subscriptions. Promotions that were already found are left out.
 */
export function promotionsOfSales(
  payments: readonly Payment[],
  sales: ReadonlyMap<string, Sale>,
  found: SellingPromotions,
): Set<string> {
  const purchases = payments.filter(({ kind }) => kind === 'purchase');
  const ids = purchases.flatMap(({ oid }) => sales.get(oid)?.promotionId ?? []);
  return new Set(ids.filter((id) => !found.byId.has(id)));
}

/** Returns the payment, and for a purchase also the result of its attribution. */
export function lookUp(payment: Payment, { byId, byCode }: SellingPromotions): LookedUpPayment {
  if (payment.kind === 'closure') return payment;
  const { token, code, data4, facts } = payment;
  const result = attribute({
    token,
    byId: byId.get(token?.claims?.promotionId ?? '') ?? null,
    hasCode: code !== null,
    byCode: byCode.get(code ?? '') ?? null,
    data4,
    purchasedAt: facts.soldAt,
  });
  return { ...payment, result };
}

/**
 * Returns the times at which each buyer may have a sale after these payments. The query for the hourly limit reads the buyer's other sales around
 * these times. A purchase can change the attribution of its subscription, and with it the environment, and can become the newest purchase of the
 * subscription. Each captured purchase, stored or new, is therefore combined with each environment that its subscription may get. Subscriptions with
 * a qualified sale are left out, because no purchase changes a qualified sale.
 */
export function buyerTimesOf(payments: readonly LookedUpPayment[], sales: ReadonlyMap<string, Sale>): BuyerTime[] {
  const possible = new Map<string, { environments: Set<Environment>; purchases: PurchaseFacts[] }>();
  for (const payment of payments) {
    const sale = sales.get(payment.oid);
    if (payment.kind === 'closure' || (sale && sale.qualifiedAt !== null)) continue;
    const { environments, purchases } = possible.get(payment.oid) ?? {
      environments: new Set(sale?.environment ? [sale.environment] : []),
      purchases: sale ? [sale] : [],
    };
    if (payment.result.attribution) environments.add(payment.result.attribution.environment);
    possible.set(payment.oid, { environments, purchases: [...purchases, payment.facts] });
  }
  const times = new Map<string, BuyerTime>();
  for (const { environments, purchases } of possible.values()) {
    for (const { emailHash, soldAt: at, paymentStatus } of purchases) {
      if (emailHash === null || at === null || paymentStatus !== 'captured') continue;
      for (const environment of environments) {
        times.set(`${environment} ${emailHash} ${at.getTime()}`, { emailHash, environment, at });
      }
    }
  }
  return [...times.values()];
}
