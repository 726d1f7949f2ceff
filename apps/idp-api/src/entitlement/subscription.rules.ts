import type { SubscriptionChangeType } from '@tandem/contracts';
import { type Entitlement, ENTITLEMENTS } from './entitlement.rules';

/** An event that billing reported about a subscription, or a receipt that support submitted (type `receipt`). */
export interface SubscriptionEvent {
  readonly type: SubscriptionChangeType | 'receipt';
  readonly occurredAt: Date;
  /** When the event takes effect; null if it takes effect at `occurredAt`. */
  readonly effectiveAt: Date | null;
  /**
   * The entitlements of the plan from this event on, or the entitlements that the receipt grants; an empty list means none. Null leaves the
   * plan's entitlements unchanged: the provider sent no list, or the subscription is not the user's own.
   */
  readonly entitlements: readonly string[] | null;
  /** The status of the payment; null if the event is not a purchase. */
  readonly paymentStatus: string | null;
}

/** The entitlements of the plan from one time until the next term or the end of the subscription. */
interface Term {
  readonly from: Date;
  readonly entitlements: readonly Entitlement[];
  readonly byPlanChange: boolean;
}

/**
 * What a receipt granted. Its entitlements apply in addition to those of the plan, independent of the plan and its payment, until the next
 * end of the subscription.
 */
interface Receipt {
  readonly entitlements: readonly Entitlement[];
  readonly until: Date | null;
}

/** A subscription, as computed from all its events. */
export interface Subscription {
  readonly isCaptured: boolean;
  readonly endsAt: Date | null;
  /** The terms of the plan, ordered by `from`. Of two terms that begin at the same time, the later one in the list counts. */
  readonly terms: readonly Term[];
  readonly receipts: readonly Receipt[];
}

/** The time at which a subscription stopped granting an entitlement, and whether a change of plan was the cause. */
export interface Loss {
  readonly entitlement: Entitlement;
  readonly at: Date;
  readonly byPlanChange: boolean;
}

const UNKNOWN: Subscription = { isCaptured: false, endsAt: null, terms: [], receipts: [] };

/**
 * Computes a subscription from its events. An older event does not overwrite a newer one, so the order of arrival matters only in two cases:
 * - events with equal times
 * - a plan change that is older than the captured purchase that arrived first. Such a plan change applies only if it arrived before the
 *   purchase and no end lies between the two. It then counts as newer than the purchase.
 *
 * @param events in the order of their arrival
 */
export const subscriptionOf = (events: readonly SubscriptionEvent[]): Subscription =>
  inOrder(events).reduce(apply, UNKNOWN);

/**
 * Returns the entitlements that a subscription grants at a time. The first purchase grants its entitlements at once, even if its time is in
 * the future because the clock of billing is ahead.
 */
export function entitlementsAt(subscription: Subscription, now: Date): readonly Entitlement[] {
  const term = termsUntil(subscription, now).at(-1) ?? subscription.terms.find(({ byPlanChange }) => !byPlanChange);
  const bought = isPaid(subscription, now) ? (term?.entitlements ?? []) : [];
  const receipts = receiptsAt(subscription, now).flatMap(({ entitlements }) => entitlements);
  return ENTITLEMENTS.filter((entitlement) => bought.includes(entitlement) || receipts.includes(entitlement));
}

/** Returns the entitlements that a paid subscription has for the first time because of the change of plan that is in effect. */
export function broughtByPlanChange(subscription: Subscription, now: Date): readonly Entitlement[] {
  if (!isPaid(subscription, now)) return [];
  const terms = termsUntil(subscription, now);
  const last = terms.at(-1);
  if (!last?.byPlanChange) return [];
  const earlier = new Set(terms.slice(0, -1).flatMap(({ entitlements }) => entitlements));
  return last.entitlements.filter((entitlement) => !earlier.has(entitlement));
}

/** Returns the losses of entitlements up to a time. New terms, the end of the subscription and the ends of its receipts cause losses. */
export function lossesUntil(subscription: Subscription, now: Date): readonly Loss[] {
  const endsAt = hasEnded(subscription, now) ? subscription.endsAt : null;
  const terms: readonly Term[] = subscription.isCaptured ? termsUntil(subscription, endsAt ?? now) : [];
  const steps = endsAt ? [...terms, { from: endsAt, entitlements: [], byPlanChange: false }] : terms;
  const ofPlan = steps.flatMap(({ from, entitlements, byPlanChange }, index) =>
    (steps[index - 1]?.entitlements ?? [])
      .filter((entitlement) => !entitlements.includes(entitlement))
      .map((entitlement) => ({ entitlement, at: from, byPlanChange })),
  );
  const ofReceipts = subscription.receipts.flatMap(({ entitlements, until }) =>
    until !== null && until <= now
      ? entitlements.map((entitlement) => ({ entitlement, at: until, byPlanChange: false }))
      : [],
  );
  return [...ofPlan, ...ofReceipts];
}

/**
 * Returns the next scheduled change of plan of a paid subscription; null if there is none. A change that a newer event has superseded, or that
 * would take effect only after the end of the subscription, does not count.
 */
export function plannedChange(subscription: Subscription, now: Date): Pick<Term, 'from' | 'entitlements'> | null {
  if (!isPaid(subscription, now)) return null;
  const isPlanned = ({ from, byPlanChange }: Term): boolean =>
    byPlanChange && from > now && !hasEnded(subscription, from);
  return subscription.terms.find(isPlanned) ?? null;
}

/** Returns the next time at which the entitlements may change; null if there is none. */
export function nextChangeAt({ endsAt, terms, receipts }: Subscription, now: Date): Date | null {
  const times = [endsAt, ...terms.map(({ from }) => from), ...receipts.map(({ until }) => until)].filter(
    (time) => time !== null && time > now,
  ) as Date[];
  return times.reduce<Date | null>((first, time) => (first === null || time < first ? time : first), null);
}

const isEnd = ({ type }: SubscriptionEvent): boolean =>
  !['purchased', 'renewed', 'plan_changed', 'receipt'].includes(type);

const isCapture = ({ type, paymentStatus }: SubscriptionEvent): boolean =>
  type === 'purchased' && paymentStatus === 'captured';

/**
 * Sorts events by time. Events of the same time stay in the order of arrival, except that ends come last. The plan changes that
 * `changesBefore` returns are moved to directly after the captured purchase that arrived first.
 */
function inOrder(events: readonly SubscriptionEvent[]): readonly SubscriptionEvent[] {
  const sorted = [...events].sort(
    (one, other) => one.occurredAt.getTime() - other.occurredAt.getTime() || Number(isEnd(one)) - Number(isEnd(other)),
  );
  const first = events.find(isCapture);
  if (!first) return sorted;
  const early = changesBefore(first, events, sorted);
  const moved = early.map((event) => ({ ...event, occurredAt: first.occurredAt }));
  return sorted.flatMap((event) => (early.includes(event) ? [] : event === first ? [event, ...moved] : [event]));
}

/**
 * Returns the changes of plan that are older than a purchase but apply to it: they arrived before the purchase, and no end lies in between.
 *
 * @param first the captured purchase that arrived first
 * @param sorted the events, sorted by time
 */
function changesBefore(
  first: SubscriptionEvent,
  events: readonly SubscriptionEvent[],
  sorted: readonly SubscriptionEvent[],
): readonly SubscriptionEvent[] {
  const older = sorted.slice(0, sorted.indexOf(first));
  const arrived = new Set(events.slice(0, events.indexOf(first)));
  return older.filter(
    (event, index) => event.type === 'plan_changed' && arrived.has(event) && !older.slice(index).some(isEnd),
  );
}

function apply(subscription: Subscription, event: SubscriptionEvent): Subscription {
  const { type, occurredAt } = event;
  if (isEnd(event)) return end(subscription, event);
  if (type === 'receipt') return withReceipt(subscription, event);
  if (type === 'plan_changed') {
    // A change before the captured purchase has no effect, because `inOrder` has moved all changes that do have an effect behind the purchase.
    if (!subscription.isCaptured) return subscription;
    const from = event.effectiveAt !== null && event.effectiveAt > occurredAt ? event.effectiveAt : occurredAt;
    return hasEnded(subscription, occurredAt) ? subscription : withTerm(subscription, event, from, true);
  }
  // A purchase whose payment is not captured changes nothing, whether it comes before or after a captured one.
  if (type === 'purchased' && !isCapture(event)) return subscription;
  return withTerm(revive(subscription, event), event, occurredAt, false);
}

/**
 * Applies an end, which also ends the valid receipts. If an earlier end is already in effect, it stays; a future end is replaced. Plan
 * changes that would take effect after the end are dropped.
 */
function end(subscription: Subscription, { occurredAt, effectiveAt }: SubscriptionEvent): Subscription {
  const at = effectiveAt ?? occurredAt;
  const receipts = receiptsUntil(subscription, occurredAt, at);
  if (hasEnded(subscription, occurredAt)) return { ...subscription, receipts };
  const terms = termsUntil(subscription, at > occurredAt ? at : occurredAt);
  return { ...subscription, endsAt: at, receipts, terms };
}

/**
 * Adds a receipt. A future end of the subscription also ends the receipt. An end that is already in effect does not, because the receipt is
 * newer.
 */
function withReceipt(subscription: Subscription, { occurredAt, entitlements }: SubscriptionEvent): Subscription {
  const until = hasEnded(subscription, occurredAt) ? null : subscription.endsAt;
  const receipt = { entitlements: knownOf(entitlements ?? []), until };
  return { ...subscription, receipts: [...subscription.receipts, receipt] };
}

/** Returns all receipts; those that are valid at the time `now` get the end `until`, which is null for no end. */
const receiptsUntil = (subscription: Subscription, now: Date, until: Date | null): readonly Receipt[] =>
  subscription.receipts.map((receipt) => (isGood(receipt, now) ? { ...receipt, until } : receipt));

const isGood = ({ until }: Receipt, now: Date): boolean => until === null || until > now;

const receiptsAt = ({ receipts }: Subscription, now: Date): readonly Receipt[] =>
  receipts.filter((receipt) => isGood(receipt, now));

/**
 * Removes the end of the subscription, because of a purchase or a renewal. Receipts that are still valid lose their planned end too. If the
 * subscription had already ended, plan changes that would have taken effect after the end are dropped.
 */
function revive(subscription: Subscription, event: SubscriptionEvent): Subscription {
  const { endsAt } = subscription;
  const receipts = receiptsUntil(subscription, event.occurredAt, null);
  const terms = endsAt !== null && endsAt <= event.occurredAt ? termsUntil(subscription, endsAt) : subscription.terms;
  const isCaptured = subscription.isCaptured || isCapture(event);
  return { ...subscription, isCaptured, endsAt: null, receipts, terms };
}

/**
 * Sets the entitlements of the plan from a time on. An event without entitlements leaves them unchanged. An event with entitlements also
 * drops all changes that take effect after the event's `occurredAt`.
 */
function withTerm(
  subscription: Subscription,
  event: SubscriptionEvent,
  from: Date,
  byPlanChange: boolean,
): Subscription {
  if (event.entitlements === null) return subscription;
  const term = { from, entitlements: knownOf(event.entitlements), byPlanChange };
  return { ...subscription, terms: [...termsUntil(subscription, event.occurredAt), term] };
}

const knownOf = (entitlements: readonly string[]): readonly Entitlement[] =>
  ENTITLEMENTS.filter((entitlement) => entitlements.includes(entitlement));

const hasEnded = ({ endsAt }: Subscription, at: Date): boolean => endsAt !== null && endsAt <= at;

/** Returns whether the subscription is paid for and has not ended. */
const isPaid = (subscription: Subscription, now: Date): boolean =>
  subscription.isCaptured && !hasEnded(subscription, now);

/** Returns whether the subscription is paid for and has not ended, or has a valid receipt. */
export const isLive = (subscription: Subscription, now: Date): boolean =>
  isPaid(subscription, now) || receiptsAt(subscription, now).length > 0;

const termsUntil = ({ terms }: Subscription, now: Date): readonly Term[] => terms.filter(({ from }) => from <= now);
