import type { SubscriptionChangeType } from '@tandem/contracts';
import { type Entitlement, ENTITLEMENTS } from './enrollment-code.rules';

/** What billing said of a subscription, once. */
export interface SubscriptionEvent {
  readonly type: SubscriptionChangeType;
  readonly occurredAt: Date;
  /** When it takes effect, if not at `occurredAt`. */
  readonly effectiveAt: Date | null;
  /** Null where the event does not say. */
  readonly entitlements: readonly string[] | null;
  /** Of purchases. */
  readonly paymentStatus: string | null;
}

/** Entitlements from a time on. */
interface Term {
  readonly from: Date;
  readonly entitlements: readonly Entitlement[];
  readonly byPlanChange: boolean;
}

/** A subscription, as all its events together tell of it. */
export interface Subscription {
  readonly isCaptured: boolean;
  readonly endsAt: Date | null;
  /** By `from`; of two that begin together the later one counts. */
  readonly terms: readonly Term[];
}

const UNKNOWN: Subscription = { isCaptured: false, endsAt: null, terms: [] };

/**
 * What the events of one subscription come to, in whatever order they arrived: an older one never overwrites a newer one.
 *
 * @param events in the order of their arrival
 */
export const subscriptionOf = (events: readonly SubscriptionEvent[]): Subscription =>
  inOrder(events).reduce(apply, UNKNOWN);

/** What a subscription entitles to at a time. */
export const entitlementsAt = (subscription: Subscription, now: Date): readonly Entitlement[] =>
  isLive(subscription, now) ? (termsUntil(subscription, now).at(-1)?.entitlements ?? []) : [];

/** What a live subscription entitled to before a change of its plan that is in effect. */
export function givenUpByPlanChange(subscription: Subscription, now: Date): readonly Entitlement[] {
  if (!isLive(subscription, now)) return [];
  const terms = termsUntil(subscription, now);
  return terms.at(-1)?.byPlanChange ? terms.slice(0, -1).flatMap(({ entitlements }) => entitlements) : [];
}

/** When the subscription entitles to something else next, as far as is known. */
export function nextChangeAt({ endsAt, terms }: Subscription, now: Date): Date | null {
  const times = [endsAt, ...terms.map(({ from }) => from)].filter((time) => time !== null && time > now) as Date[];
  return times.reduce<Date | null>((first, time) => (first === null || time < first ? time : first), null);
}

const isEnd = ({ type }: SubscriptionEvent): boolean => !['purchased', 'renewed', 'plan_changed'].includes(type);

const isCapture = ({ type, paymentStatus }: SubscriptionEvent): boolean =>
  type === 'purchased' && paymentStatus === 'captured';

/** By time; of equal times an end comes last, and else what arrived later. */
function inOrder(events: readonly SubscriptionEvent[]): readonly SubscriptionEvent[] {
  const sorted = [...events].sort(
    (one, other) => one.occurredAt.getTime() - other.occurredAt.getTime() || Number(isEnd(one)) - Number(isEnd(other)),
  );
  const first = sorted.find(isCapture);
  if (!first) return sorted;
  // A change of the plan that was known before the purchase applies to it, whatever their clocks say.
  const early = sorted.slice(0, sorted.indexOf(first)).filter(({ type }) => type === 'plan_changed');
  const moved = early.map((event) => ({ ...event, occurredAt: first.occurredAt }));
  return sorted.flatMap((event) => (early.includes(event) ? [] : event === first ? [event, ...moved] : [event]));
}

function apply(subscription: Subscription, event: SubscriptionEvent): Subscription {
  const { type, occurredAt } = event;
  if (isEnd(event)) return end(subscription, event);
  if (type === 'plan_changed') {
    const from = event.effectiveAt !== null && event.effectiveAt > occurredAt ? event.effectiveAt : occurredAt;
    return hasEnded(subscription, occurredAt) ? subscription : withTerm(subscription, event, from, true);
  }
  // A payment that is not captured changes nothing, before a captured one as after it.
  if (type === 'purchased' && !isCapture(event)) return subscription;
  return withTerm(revive(subscription, event), event, occurredAt, false);
}

/** An end in effect stays; one to come is replaced by what is said later. */
const end = (subscription: Subscription, { occurredAt, effectiveAt }: SubscriptionEvent): Subscription =>
  hasEnded(subscription, occurredAt) ? subscription : { ...subscription, endsAt: effectiveAt ?? occurredAt };

/** Bought or renewed: live again; what an ended life had planned for later is void. */
function revive(subscription: Subscription, event: SubscriptionEvent): Subscription {
  const { occurredAt } = event;
  const ended = hasEnded(subscription, occurredAt);
  const terms = ended ? subscription.terms.filter(({ from }) => from <= occurredAt) : subscription.terms;
  return { isCaptured: subscription.isCaptured || isCapture(event), endsAt: null, terms };
}

/** An event that does not name entitlements keeps them. */
function withTerm(
  subscription: Subscription,
  event: SubscriptionEvent,
  from: Date,
  byPlanChange: boolean,
): Subscription {
  if (event.entitlements === null) return subscription;
  const known = ENTITLEMENTS.filter((entitlement) => event.entitlements?.includes(entitlement));
  const terms = [...subscription.terms, { from, entitlements: known, byPlanChange }];
  return { ...subscription, terms: terms.sort((one, other) => one.from.getTime() - other.from.getTime()) };
}

const hasEnded = ({ endsAt }: Subscription, at: Date): boolean => endsAt !== null && endsAt <= at;

/** Whether it is paid for and has not ended. */
export const isLive = (subscription: Subscription, now: Date): boolean =>
  subscription.isCaptured && !hasEnded(subscription, now);

const termsUntil = ({ terms }: Subscription, now: Date): readonly Term[] => terms.filter(({ from }) => from <= now);
