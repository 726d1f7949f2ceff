import type { ExpectedSubscription, Load } from './load';

/** What the platform says of one subscription. */
export interface FoundSubscription {
  readonly oid: string;
  readonly state: string;
  readonly entitlements: readonly string[];
  /** How many events of it were taken. */
  readonly events: number;
}

/** What the platform has when everything has arrived. */
export interface Found {
  /** Stored webhooks, each id or alert once. */
  readonly stored: number;
  readonly subscriptions: ReadonlyMap<string, FoundSubscription>;
  /** How many alerts are stored for each user of the vendor. */
  readonly alerts: ReadonlyMap<string, number>;
  /** Events that could not be handled. */
  readonly deadLetters: number;
}

export interface FloodVerdict {
  readonly webhooks: number;
  readonly stored: number;
  /** Subscriptions that miss an event, and users that miss their alert. */
  readonly lost: readonly string[];
  /** Subscriptions with an event taken twice, and users with an alert stored twice. */
  readonly actedOnTwice: readonly string[];
  /** Subscriptions that have all their events and are not as they should be. */
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
