import { randomUUID } from 'node:crypto';
import {
  alertWebhook,
  billingWebhook,
  newKrn,
  PLANS,
  purchaseData,
  signable,
  type SignedBody,
} from '@tandem/stack-client';

/** The state that a subscription must have when all its webhooks have arrived, in any order. */
export interface ExpectedSubscription {
  readonly oid: string;
  readonly krn: string;
  /** The number of different webhooks about the subscription. */
  readonly events: number;
  readonly state: 'live' | 'ended';
  readonly entitlements: readonly string[];
}

/** Webhooks as they are sent, and their expected result. */
export interface Load {
  /** The webhooks in the order in which they are sent: shuffled, and some of them twice. */
  readonly deliveries: readonly Delivery[];
  /** The number of different webhooks. */
  readonly webhooks: number;
  readonly subscriptions: readonly ExpectedSubscription[];
  /** The users' keys at the vendor; each user has one alert. */
  readonly alertedUsers: readonly string[];
}

export interface Delivery extends SignedBody {
  readonly integration: 'payments' | 'array';
}

const { entitlements: ADVANCED } = PLANS.advanced;
const { entitlements: PRO } = PLANS.pro;
const MINUTE_MS = 60_000;

interface Step {
  readonly type: string;
  readonly data?: object;
}

const bought: Step = { type: 'purchased' };
const upgraded: Step = {
  type: 'plan_changed',
  data: { fromPlan: 'advanced', toPlan: 'pro', entitlements: PRO },
};

/** The possible histories of a subscription. Each event is a minute after the previous one. */
const COURSES: readonly (Pick<ExpectedSubscription, 'state' | 'entitlements'> & { readonly steps: readonly Step[] })[] =
  [
    { steps: [bought, { type: 'renewed' }, upgraded, { type: 'renewed' }], state: 'live', entitlements: PRO },
    { steps: [bought, upgraded, { type: 'renewed' }, { type: 'refunded' }], state: 'ended', entitlements: [] },
    { steps: [bought, { type: 'cancelled' }, { type: 'renewed' }, upgraded], state: 'live', entitlements: PRO },
    { steps: [bought, { type: 'renewed' }, { type: 'expired' }, bought], state: 'live', entitlements: ADVANCED },
    { steps: [bought, upgraded, bought, { type: 'charged_back' }], state: 'ended', entitlements: [] },
  ];
const STEPS = 4;
/** The share of webhooks that come from billing. */
const PAYMENTS_SHARE = 0.8;
/** The share of webhooks that are sent a second time. */
const REPEATED_SHARE = 0.3;

/**
 * Generates a load.
 * @param count the number of different webhooks. A load has at least 5 webhooks; if `count` is below 10, it may have
 *   more than `count`
 * @param random returns numbers in [0, 1)
 * @param appKey the platform's key for the identity vendor
 */
export function loadOf(count: number, random: () => number, appKey: string): Load {
  const subscriptions = Math.max(1, Math.round((count * PAYMENTS_SHARE) / STEPS));
  const told = Array.from({ length: subscriptions }, (_, index) => courseOf(index));
  const alertedUsers = Array.from({ length: Math.max(1, count - subscriptions * STEPS) }, () => randomUUID());
  const deliveries = [...told.flatMap((one) => one.deliveries), ...alertedUsers.map((user) => alertOf(user, appKey))];
  const repeated = shuffled(deliveries, random).slice(0, Math.round(deliveries.length * REPEATED_SHARE));
  return {
    deliveries: shuffled([...deliveries, ...repeated], random),
    webhooks: deliveries.length,
    subscriptions: told.map(({ expected }) => expected),
    alertedUsers,
  };
}

function courseOf(index: number): { expected: ExpectedSubscription; deliveries: Delivery[] } {
  const { steps, state, entitlements } = COURSES[index % COURSES.length] as (typeof COURSES)[number];
  const [oid, krn] = [`flood_${randomUUID()}`, newKrn('chaos')];
  const began = Date.now() - STEPS * MINUTE_MS;
  const deliveries = steps.map(({ type, data }, step): Delivery => {
    const timestamp = new Date(began + step * MINUTE_MS);
    const purchased = type === 'purchased' ? purchaseData({ subscriptionId: oid, krn }) : {};
    const effective = type === 'plan_changed' ? { effectiveAt: timestamp.toISOString() } : {};
    const all = { subscriptionId: oid, customer: { krn }, ...purchased, ...data, ...effective };
    return { integration: 'payments', ...signable(billingWebhook(type, all, { timestamp })) };
  });
  return { expected: { oid, krn, events: steps.length, state, entitlements }, deliveries };
}

function alertOf(clientKey: string, appKey: string): Delivery {
  return { integration: 'array', ...alertWebhook({ appKey, clientKey, alertId: 1 }) };
}

/** Shuffles a list (Fisher–Yates). */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [copy[last], copy[other]] = [copy[other] as T, copy[last] as T];
  }
  return copy;
}
