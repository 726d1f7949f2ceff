import { Injectable } from '@nestjs/common';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import type { EntityManager } from 'typeorm';
import type { Profile } from '../profile/profile';
import type { ProfileReading } from '../profile/profile.repository';
import { ProfileService } from '../profile/profile.service';
import type { EnrollmentCode } from '../array/enrollment-codes';
import { BASE_ENTITLEMENT, codesGranted, type Entitlement } from './entitlement.rules';
import { EntitlementsRequiredError } from './entitlement.errors';
import {
  eventsBySubscription,
  type StoredSubscriptions,
  SubscriptionRepository,
  SUBSCRIPTIONS,
  withReceipts,
} from './subscription.repository';
import {
  broughtByPlanChange,
  entitlementsAt,
  type Loss,
  lossesUntil,
  nextChangeAt,
  type Subscription,
  subscriptionOf,
} from './subscription.rules';

/** What a user's subscriptions and receipts entitle the user to at one moment. */
export interface Entitled {
  readonly held: ReadonlySet<Entitlement>;
  /** Entitlements whose newest loss was caused by a change of plan, not by an end. May include entitlements that the user holds again. */
  readonly givenUp: ReadonlySet<Entitlement>;
  /** Entitlements that a subscription has for the first time because of the change of plan that is now in effect. */
  readonly brought: ReadonlySet<Entitlement>;
  /** When the entitlements next change without an event; null if no such change is known. */
  readonly nextChangeAt: Date | null;
}

/** A user's profile with the further data that was read, and the codes that are granted to the user. */
export interface GrantedUser<Row> {
  readonly profile: Profile & Row;
  readonly granted: ReadonlySet<EnrollmentCode>;
}

/** Determines what users are entitled to. */
@Injectable()
export class EntitlementService {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly profiles: ProfileService,
  ) {}

  /** Returns what a user is entitled to at a time. @param receipts further receipts that count, although they are not stored yet */
  async entitled(krn: string, now: Date, receipts: readonly SubscriptionReceipt[] = []): Promise<Entitled> {
    const ids = receipts.map(({ subscriptionId }) => subscriptionId);
    return entitledBy(withReceipts(await this.subscriptions.findOfUser(krn, ids), receipts), now);
  }

  /** Stores receipts of a user. A receipt ends with its subscription, and is deleted with the profile. */
  addReceipts(manager: EntityManager, krn: string, receipts: readonly SubscriptionReceipt[]): Promise<void> {
    return this.subscriptions.addReceipts(manager, krn, receipts);
  }

  /**
   * Reads a user with one statement, and determines which codes the profile's version and the entitlements grant now.
   *
   * @throws UserNotFoundError
   */
  async read<Row extends StoredSubscriptions>(krn: string, reading: ProfileReading<Row>): Promise<GrantedUser<Row>> {
    const profile = await this.profiles.getWith(krn, reading);
    return { profile, granted: codesGranted(profile.version, entitledBy(profile, new Date()).held) };
  }

  /** Returns whether a subscription of the user is stored, either from billing or from a receipt. */
  async hasSubscription(krn: string): Promise<boolean> {
    return (await this.subscriptions.findOfUser(krn)).subscriptionEvents !== null;
  }

  /** Returns the profile of a user to whom a code is granted. @throws UserNotFoundError, EntitlementsRequiredError */
  async getGranted(krn: string, code: EnrollmentCode): Promise<Profile> {
    const { profile, granted } = await this.read(krn, SUBSCRIPTIONS);
    if (!granted.has(code)) throw new EntitlementsRequiredError();
    return profile;
  }

  /** Checks that a user has {@link BASE_ENTITLEMENT}. @throws EntitlementsRequiredError */
  async requireBase(krn: string, receipts: readonly SubscriptionReceipt[] = []): Promise<void> {
    const { held } = await this.entitled(krn, new Date(), receipts);
    if (!held.has(BASE_ENTITLEMENT)) throw new EntitlementsRequiredError();
  }
}

function entitledBy(stored: StoredSubscriptions, now: Date): Entitled {
  const all = [...eventsBySubscription(stored).values()].map(subscriptionOf);
  const each = <T>(of: (subscription: Subscription, now: Date) => readonly T[]): Set<T> =>
    new Set(all.flatMap((subscription) => of(subscription, now)));
  const times = all.flatMap((subscription) => nextChangeAt(subscription, now)?.getTime() ?? []);
  return {
    held: each(entitlementsAt),
    givenUp: givenUpBy(all.flatMap((subscription) => lossesUntil(subscription, now))),
    brought: each(broughtByPlanChange),
    nextChangeAt: times.length > 0 ? new Date(Math.min(...times)) : null,
  };
}

/**
 * Returns the entitlements whose newest loss, among all subscriptions of a user, was caused by a change of plan. Older losses do not count:
 * after an older loss, the user still had the entitlement from another subscription, or got it again.
 */
function givenUpBy(losses: readonly Loss[]): ReadonlySet<Entitlement> {
  const inOrder = [...losses].sort((one, other) => one.at.getTime() - other.at.getTime());
  const newest = new Map(inOrder.map((loss) => [loss.entitlement, loss]));
  return new Set([...newest.values()].flatMap(({ entitlement, byPlanChange }) => (byPlanChange ? entitlement : [])));
}
