import {
  type PaymentReceived,
  type Purchase,
  SALE_CLOSED,
  SALE_COMPLETED,
  type SaleClosed,
  type SaleCompleted,
  type SaleItem,
} from '@tandem/contracts';
import { timedEventId } from '@tandem/messaging';
import { type Attribution, type AttributionResult, strongerAttribution } from './attribution.rules';
import { isMoreThanZero, withTwoDecimals } from './money.rules';
import type { ClosedBy, FailureReason, PaymentStatus, Sale, SaleStatus } from './sale.entity';
import { NO_FACTS } from './sale.statements';

/*
 * A sale is decided by facts, not by their order of arrival: the newest purchase, the newest refund or chargeback, the attribution, and a
 * manager's decision. A captured purchase is preferred to a pending or failed one, whichever is newer. Each event only adds its fact;
 * `assess` then derives the state. The same events therefore lead to the same state in any order, with six exceptions:
 *
 * - A sale that has qualified stays the only qualified sale of its subscription, because its event was already published.
 * - Some conditions are checked when a purchase arrives, such as whether the partner is active and how many sales the buyer has.
 * - A held sale stays held when newer purchases of the same partner arrive.
 * - Only the strongest attribution is stored. It stays stored when an older captured purchase arrives later.
 * - A purchase without a reference to a partner is not stored if nothing else is known about its subscription.
 * - Whether a promotion code counts depends on the state of its promotion when the purchase arrives, because earlier activations and
 *   deactivations are not stored.
 */

/** Returns a sale about which nothing is known but its id. The columns that only the database writes are missing. */
export const newSale = (oid: string): Sale =>
  ({ ...NO_FACTS, oid, status: 'unattributed', version: 0 }) as unknown as Sale;

export interface Assessment {
  status: SaleStatus;
  failureReason: FailureReason | null;
}

/** Derives the state of a sale from its facts. */
export function assess(sale: Sale, partnerActive: boolean): Assessment {
  if (sale.status === 'revoked') return state('revoked');
  if (sale.partnerId === null) return state('unattributed');
  if (sale.closedBy !== null && isClosed(sale)) return state(sale.closedBy);
  if (sale.qualifiedAt !== null) return state('qualified');
  if (sale.holdDecision === 'refused') return failed('refused');
  if (sale.paymentStatus !== 'captured') {
    return sale.paymentStatus === 'failed' ? failed('payment_failed') : state('pending');
  }
  if (sale.amount === null || !isMoreThanZero(sale.amount)) return failed('nothing_paid');
  if (!partnerActive) return failed('partner_inactive');
  return state(sale.holdReason !== null && sale.holdDecision !== 'released' ? 'held' : 'qualified');
}

const state = (status: SaleStatus): Assessment => ({ status, failureReason: null });
const failed = (failureReason: FailureReason): Assessment => ({ status: 'failed', failureReason });

/**
 * Returns whether the refund or chargeback came after the purchase. If both have the same time, the purchase counts as the earlier one,
 * because nothing can be paid back before it was paid.
 */
const isClosed = ({ closedAt, soldAt }: Pick<Sale, 'closedAt' | 'soldAt'>): boolean =>
  closedAt !== null && soldAt !== null && closedAt >= soldAt;

/**
 * Returns how a sale that has qualified was closed. Returns null if the sale never qualified, was not closed, or was closed before its
 * purchase. Revoked sales are included: their status stays `revoked` when they are closed.
 */
export const closingOf = (sale: Pick<Sale, 'qualifiedAt' | 'closedBy' | 'closedAt' | 'soldAt'>): ClosedBy | null =>
  sale.qualifiedAt !== null && isClosed(sale) ? sale.closedBy : null;

/** Those properties of a sale whose values come from a purchase event. */
export type PurchaseFacts = Pick<
  Sale,
  'paymentStatus' | 'soldAt' | 'amount' | 'currency' | 'items' | 'emailMasked' | 'emailHash'
>;

export function purchaseFacts(event: PaymentReceived, purchase: Purchase, at: Date): PurchaseFacts {
  return {
    paymentStatus: purchase.paymentStatus,
    soldAt: at,
    amount: purchase.amount,
    currency: purchase.currency,
    items: purchase.items.map(toSaleItem),
    emailMasked: event.customer?.emailMasked ?? '',
    emailHash: event.customer?.emailHash ?? null,
  };
}

/** The order of the steps of a payment. If two purchases have the same time, the one with the later step counts. */
const PAYMENT_RANK: Record<PaymentStatus, number> = { pending: 0, failed: 1, captured: 2 };

/**
 * Adds a purchase to a sale. If the sale already contains a purchase that counts more, the new one does not overwrite it. The stronger of
 * the two attributions counts, whichever purchase counts (see {@link strongerAttribution}). There is one exception: the attribution of a
 * pending or failed purchase does not count for an older purchase that was captured.
 */
export function withPurchase(sale: Sale, purchase: PurchaseFacts, { attribution, reason }: AttributionResult): Sale {
  const counts = countsMore(purchase, sale);
  const known = attributionOf(sale);
  const stronger = isCaptured(purchase)
    ? strongerAttribution(isCaptured(sale) ? known : madeBy(purchase.soldAt, known), attribution)
    : strongerAttribution(known, isCaptured(sale) ? madeBy(sale.soldAt, attribution) : attribution);
  const unattributedReason = stronger !== null ? null : counts ? reason : sale.unattributedReason;
  return { ...sale, ...(counts ? purchase : {}), ...(stronger ?? UNATTRIBUTED), unattributedReason };
}

const UNATTRIBUTED = {
  partnerId: null,
  promotionId: null,
  environment: null,
  sharedId: null,
  attributedBy: null,
  attributedAt: null,
};

const isCaptured = ({ paymentStatus }: Pick<Sale, 'paymentStatus'>): boolean => paymentStatus === 'captured';

/** Returns the attribution if its purchase was made at this time or earlier; otherwise null. */
const madeBy = (time: Date | null, attribution: Attribution | null): Attribution | null =>
  attribution !== null && time !== null && attribution.attributedAt <= time ? attribution : null;

/**
 * Returns whether a purchase counts more than the purchase that a sale contains. A captured purchase counts more than a pending or failed
 * one, whichever is newer. Otherwise the newer purchase counts.
 */
function countsMore(purchase: PurchaseFacts, sale: Sale): boolean {
  if (sale.soldAt === null || sale.paymentStatus === null) return true;
  if (isCaptured(purchase) !== isCaptured(sale)) return isCaptured(purchase);
  const difference = Number(purchase.soldAt) - Number(sale.soldAt);
  if (difference !== 0) return difference > 0;
  return PAYMENT_RANK[purchase.paymentStatus ?? 'pending'] > PAYMENT_RANK[sale.paymentStatus];
}

function attributionOf(sale: Sale): Attribution | null {
  const { partnerId, promotionId, environment, sharedId, attributedBy, attributedAt } = sale;
  return partnerId === null
    ? null
    : ({ partnerId, promotionId, environment, sharedId, attributedBy, attributedAt } as Attribution);
}

/** Adds a refund or chargeback to a sale. The newest one counts. If two have the same time, the chargeback counts. */
export function withClosure(sale: Sale, closedBy: ClosedBy, closedAt: Date): Sale {
  const difference = sale.closedAt === null ? 1 : closedAt.getTime() - sale.closedAt.getTime();
  const counts = difference > 0 || (difference === 0 && closedBy === 'charged_back');
  return counts ? { ...sale, closedBy, closedAt } : sale;
}

/** Converts an item to the form of the postback. */
const toSaleItem = (item: Purchase['items'][number]): SaleItem => ({
  price: withTwoDecimals(item.price),
  // `String()` would format large numbers with an exponent.
  quantity: BigInt(item.quantity ?? 1).toString(),
  category: item.category,
  tier: item.tier ?? '',
  sku: 'Sell',
});

/** Returns whether the revoke window of a sale is over. The last moment of the window still belongs to the window. */
export const isRevokeWindowClosed = (soldAt: Date, windowDays: number, now: Date): boolean =>
  now.getTime() > soldAt.getTime() + windowDays * 86_400_000;

/** Returns the sale as one that qualified at `now`, with the next version. */
export const qualify = (sale: Sale, now: Date): Sale => ({
  ...sale,
  status: 'qualified',
  failureReason: null,
  qualifiedAt: now,
  version: sale.version + 1,
});

/**
 * Returns the id of an event about a sale. After a restore from a backup, the same payments cause the same change again. The event then has
 * the same id, and consumers that have already handled this id skip the event.
 *
 * @param at an ISO 8601 time of the sale that is the same when the same payments cause the change again
 * @param kind distinguishes several events about one sale in one topic
 */
export const saleEventId = (topic: string, oid: string, at: string, kind = ''): string =>
  timedEventId(new Date(at), topic, oid, kind);

/** An event about a sale, with its id and the sale's version. */
export interface EventOfSale<T> {
  readonly id: string;
  readonly data: T;
  readonly version: number;
}

/** Returns the event which reports that a sale has qualified. */
export function completedEvent(sale: Sale): EventOfSale<SaleCompleted> {
  const data = toSaleCompleted(sale);
  return { id: saleEventId(SALE_COMPLETED.topic, data.oid, data.soldAt), data, version: sale.version };
}

/** Returns the event about the refund or chargeback of a sale that has qualified. */
export function closedEvent(sale: Sale): EventOfSale<SaleClosed> {
  const data = toSaleClosed(sale);
  return { id: saleEventId(SALE_CLOSED.topic, data.oid, data.closedAt, data.status), data, version: sale.version };
}

/** Returns the data of the event which reports that a sale has qualified. */
export function toSaleCompleted(sale: Sale): SaleCompleted {
  const { oid, partnerId, promotionId, environment, sharedId, emailMasked, currency, items, soldAt, qualifiedAt } =
    sale;
  if (!partnerId || !promotionId || !environment || !currency || !items || !soldAt || !qualifiedAt) {
    throw new Error(`The sale ${oid} is qualified but not complete`);
  }
  return {
    oid,
    partnerId,
    promotionId,
    environment,
    sharedId: sharedId ?? '',
    emailMasked: emailMasked ?? '',
    currency,
    items,
    soldAt: soldAt.toISOString(),
    qualifiedAt: qualifiedAt.toISOString(),
  };
}

/** Returns the data of the event which reports that a sale was closed. */
function toSaleClosed(sale: Sale): SaleClosed {
  const { oid, partnerId, environment, sharedId, qualifiedAt, closedBy, closedAt } = sale;
  if (!partnerId || !environment || !qualifiedAt || !closedBy || !closedAt)
    throw new Error(`The sale ${oid} is closed but not complete`);
  return {
    oid,
    partnerId,
    environment,
    status: closedBy,
    closedAt: closedAt.toISOString(),
    sharedId: sharedId ?? '',
    qualifiedAt: qualifiedAt.toISOString(),
  };
}
