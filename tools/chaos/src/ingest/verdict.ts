import type { ExpectedSubscription, Load } from './load';

/** A subscription as the platform has stored it. */
export interface FoundSubscription {
  readonly oid: string;
  readonly state: string;
  readonly entitlements: readonly string[];
  /** How many events of the subscription were handled. */
  readonly events: number;
}

/** What the platform has stored when everything has arrived. */
export interface Found {
  /** The number of stored webhooks. */
  readonly stored: number;
  readonly subscriptions: ReadonlyMap<string, FoundSubscription>;
  /** The number of stored alerts for each user of the vendor. */
  readonly alerts: ReadonlyMap<string, number>;
  /** The number of events that could not be handled. */
  readonly deadLetters: number;
}

export interface FloodVerdict {
  readonly webhooks: number;
  readonly stored: number;
  /** Subscriptions that lack an event, and users whose alert is missing. */
  readonly lost: readonly string[];
  /** Subscriptions with an event that was handled twice, and users with an alert that is stored twice. */
  readonly actedOnTwice: readonly string[];
  /** Subscriptions whose events were all handled once, but whose state or entitlements are wrong. */
  readonly wrong: readonly string[];
  readonly deadLetters: number;
}

export function judgeFlood({ webhooks, subscriptions, alertedUsers }: Load, found: Found): FloodVerdict {
  const eventsOf = ({ oid }: ExpectedSubscription): number => found.subscriptions.get(oid)?.events ?? 0;
  const alertsOf = (user: string): number => found.alerts.get(user) ?? 0;
  const oids = (wanted: (one: ExpectedSubscription) => boolean): string[] =>
    subscriptions.filter(wanted).map(({ oid }) => oid);
  return {
    webhooks,
    stored: found.stored,
    lost: [...oids((one) => eventsOf(one) < one.events), ...alertedUsers.filter((user) => alertsOf(user) < 1)],
    actedOnTwice: [...oids((one) => eventsOf(one) > one.events), ...alertedUsers.filter((user) => alertsOf(user) > 1)],
    wrong: oids((one) => eventsOf(one) === one.events && !isRight(one, found.subscriptions.get(one.oid))),
    deadLetters: found.deadLetters,
  };
}

const isRight = ({ state, entitlements }: ExpectedSubscription, found?: FoundSubscription): boolean =>
  found?.state === state && [...found.entitlements].sort().join() === [...entitlements].sort().join();

export const isFloodClean = ({ webhooks, stored, lost, actedOnTwice, wrong, deadLetters }: FloodVerdict): boolean =>
  stored === webhooks && deadLetters === 0 && [lost, actedOnTwice, wrong].every((list) => list.length === 0);
