import type { PaymentReceived, SaleClosed, SaleCompleted } from '@tandem/contracts';
import type { ReceivedEvent } from '@tandem/messaging';
import type { SellingPromotions } from '../promotion/promotion.repository';
import type { AttributionResult } from './attribution.rules';
import { type BuyerSales, evidenceOf, findHoldReason, type FraudLimits } from './fraud.rules';
import type { Closure, FirstPurchase, LookedUpPayment } from './payment.rules';
import type { Sale } from './sale.entity';
import type { SaleChange } from './sale-count.rules';
import {
  assess,
  closedEvent,
  closingOf,
  completedEvent,
  type EventOfSale,
  newSale,
  qualify,
  withClosure,
  withPurchase,
} from './sale.rules';

/** An event to publish about a sale that has qualified, and the trace context of the payment that caused it. */
export interface SaleEvent<T> extends EventOfSale<T> {
  traceparent: string | undefined;
}

/** A log line about the effect of one event. */
export interface SaleNote {
  event: ReceivedEvent<PaymentReceived>;
  line: Record<string, unknown>;
}

/**
 * Applies the payments of a batch to sales, in memory and one after the other. The result is the same as if each payment were in a batch of
 * its own.
 */
export class SaleBatch {
  readonly completed: SaleEvent<SaleCompleted>[] = [];
  readonly closed: SaleEvent<SaleClosed>[] = [];
  readonly notes: SaleNote[] = [];
  private readonly changed = new Map<string, Sale>();

  /**
   * @param known the sales that existed before the batch, by id
   * @param promotions the promotions to which the purchases, and the known sales of their subscriptions, refer
   * @param buyers the buyers' sales that count for the hourly limit, without the sales of this batch's subscriptions
   */
  constructor(
    private readonly known: ReadonlyMap<string, Sale>,
    private readonly promotions: SellingPromotions,
    private readonly buyers: BuyerSales,
    private readonly limits: FraudLimits,
    private readonly now: Date,
  ) {
    for (const sale of known.values()) buyers.replace(undefined, sale);
  }

  /** Returns one change for each changed sale: `before` is its state before the batch, `after` its state after the whole batch. */
  get changes(): SaleChange[] {
    return [...this.changed.values()].map((after) => ({ before: this.known.get(after.oid), after }));
  }

  record(payment: LookedUpPayment): void {
    const before = this.changed.get(payment.oid) ?? this.known.get(payment.oid);
    const after = payment.kind === 'closure' ? this.close(before, payment) : this.buy(before, payment);
    if (after === null) return;
    this.changed.set(payment.oid, after);
    this.buyers.replace(before, after);
    this.noteChange(payment, before?.status ?? 'unattributed', after);
  }

  /** Records a refund or chargeback, even when the sale is not known yet, because the purchase may arrive later. */
  private close(before: Sale | undefined, { event, oid, closedBy, at }: Closure): Sale {
    const sale = before ?? newSale(oid);
    const closed = withClosure(sale, closedBy, at);
    // Whether the partner is active is not checked again: the result of the check that was made when the purchase arrived still counts.
    const after = { ...closed, ...assess(closed, closed.failureReason !== 'partner_inactive') };
    if (closingOf(after) === closingOf(sale)) return after;
    const published = { ...after, version: after.version + 1 };
    this.closed.push({ ...closedEvent(published), traceparent: event.traceparent });
    return published;
  }

  /** Records a first purchase. Returns null when there is nothing to store. */
  private buy(before: Sale | undefined, payment: FirstPurchase & { result: AttributionResult }): Sale | null {
    // A subscription has only one qualified sale, which no later purchase changes.
    if (before && before.qualifiedAt !== null) return null;
    const { event, oid, facts } = payment;
    const result = this.attributionOf(before, payment);
    const after = withPurchase(before ?? newSale(oid), facts, result);
    if (after.partnerId !== null) return this.decide(before, after, event.traceparent);
    this.notes.push({ event, line: { msg: 'purchase.unattributed', oid, reason: result.reason } });
    // A purchase without a reference to a partner is stored only if something else is known about its subscription.
    return before === undefined && result.reason === 'no_reference' ? null : { ...after, ...assess(after, true) };
  }

  /**
   * Returns the attribution of a purchase. There is one special case: the stored purchase was not attributed because its code was invalid, but the
   * code would be valid for it now, because its promotion was created or activated in the meantime. The code then attributes only a purchase that is
   * newer than the stored purchase: a repetition or an older state of the stored purchase must not become a sale.
   */
  private attributionOf(
    before: Sale | undefined,
    payment: FirstPurchase & { result: AttributionResult },
  ): AttributionResult {
    const { facts, token, result } = payment;
    const { unattributedReason: reason = null, soldAt = null } = before ?? {};
    if (result.attribution?.attributedBy !== 'code' || reason === null || soldAt === null) return result;
    // Whether the stored purchase had a code. The stored reason shows this only if the stored purchase had no token; otherwise, the reason
    // concerns the token. If the new purchase has a token too, the stored purchase is assumed to have had the same code.
    const hadCode =
      reason === 'unknown_code' || reason === 'code_ended' || (reason !== 'no_reference' && token !== null);
    if (!hadCode || facts.soldAt > soldAt) return result;
    const deactivatedAt = this.promotions.byId.get(result.attribution.promotionId)?.deactivatedAt ?? null;
    const countsNow = deactivatedAt === null || soldAt < deactivatedAt;
    return countsNow ? { attribution: null, reason } : result;
  }

  private decide(before: Sale | undefined, sale: Sale, traceparent: string | undefined): Sale {
    const promotion = this.promotions.byId.get(sale.promotionId ?? '');
    if (!promotion) throw new Error(`the promotion ${sale.promotionId} of a sale is missing`);
    const { partnerActive: isActive, partnerEmailHash } = promotion;
    const wasActive = wasPartnerActive(before, sale);
    const partnerActive = wasActive ?? isActive;
    let decided = { ...sale, ...assess(sale, partnerActive) };
    // The fraud rules also check a sale that is already held if the purchase that counts or the partner is new, because the hold reason may
    // change.
    const isNewlyHeld = decided.status === 'held' && wasActive === undefined;
    if (isNewlyHeld || (decided.status === 'qualified' && decided.holdDecision === null)) {
      const others = this.buyers.othersOf(decided);
      const otherSales = others.map(({ at }) => at);
      const holdReason = findHoldReason({ ...decided, partnerEmailHash, otherSales }, this.limits);
      // A held sale keeps its hold reason even if its new facts match no rule any more, because only a manager releases a held sale.
      // If the sale moves to another partner, the previous hold reason no longer counts.
      if (holdReason !== null || before?.status !== 'held' || before.partnerId !== sale.partnerId) {
        decided = { ...decided, holdReason, holdEvidence: evidenceOf(holdReason, decided, others, this.limits) };
      }
      decided = { ...decided, ...assess(decided, partnerActive) };
    }
    if (decided.status !== 'qualified') return decided;
    const qualified = qualify(decided, this.now);
    this.completed.push({ ...completedEvent(qualified), traceparent });
    return qualified;
  }

  private noteChange({ event }: LookedUpPayment, from: Sale['status'], sale: Sale): void {
    const { oid, partnerId, status: to, holdReason, failureReason } = sale;
    if (from === to) return;
    this.notes.push({ event, line: { msg: 'sale changed', oid, partnerId, from, to, holdReason, failureReason } });
  }
}

/**
 * Returns whether the partner was active when the newest captured purchase of the sale arrived. An older or repeated purchase does not change
 * this result, even if its attribution changes the promotion or the environment of the sale.
 *
 * @returns undefined if that purchase arrives now, if the partner of the sale changes now, or if the sale had no captured purchase: the
 *   partner is then checked now
 */
function wasPartnerActive(before: Sale | undefined, after: Sale): boolean | undefined {
  if (before?.paymentStatus !== 'captured' || before.partnerId === null) return undefined;
  const isSame =
    after.paymentStatus === before.paymentStatus &&
    after.partnerId === before.partnerId &&
    Number(after.soldAt) === Number(before.soldAt);
  return isSame ? before.failureReason !== 'partner_inactive' : undefined;
}
