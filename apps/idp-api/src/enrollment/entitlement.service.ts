import { Injectable } from '@nestjs/common';
import type { Profile } from '../profile/profile';
import { BASE_ENTITLEMENT, codesGranted, type EnrollmentCode, type Entitlement } from './enrollment-code.rules';
import { EntitlementsRequiredError } from './enrollment.errors';
import { SubscriptionRepository } from './subscription.repository';
import {
  entitlementsAt,
  givenUpByPlanChange,
  nextChangeAt,
  type Subscription,
  subscriptionOf,
} from './subscription.rules';

/** What a user's subscriptions come to at one moment. */
export interface Entitled {
  readonly held: ReadonlySet<Entitlement>;
  /** Held before a change of plan that is in effect. */
  readonly givenUp: ReadonlySet<Entitlement>;
  /** When it changes by itself, as far as is known. */
  readonly nextChangeAt: Date | null;
}

/** Knows what users are entitled to. */
@Injectable()
export class EntitlementService {
  constructor(private readonly subscriptions: SubscriptionRepository) {}

  async entitled(krn: string, now: Date): Promise<Entitled> {
    const all = [...(await this.subscriptions.findOfUser(krn)).values()].map(subscriptionOf);
    const each = <T>(of: (subscription: Subscription, now: Date) => readonly T[]): Set<T> =>
      new Set(all.flatMap((subscription) => of(subscription, now)));
    const times = all.flatMap((subscription) => nextChangeAt(subscription, now)?.getTime() ?? []);
    return {
      held: each(entitlementsAt),
      givenUp: each(givenUpByPlanChange),
      nextChangeAt: times.length > 0 ? new Date(Math.min(...times)) : null,
    };
  }

  /** What the user is to be enrolled in now, by its version and what it holds. */
  async grantedCodes({ krn, version }: Profile): Promise<ReadonlySet<EnrollmentCode>> {
    return codesGranted(version, (await this.entitled(krn, new Date())).held);
  }

  /** @throws EntitlementsRequiredError when the user is not granted the code */
  async requireCode(profile: Profile, code: EnrollmentCode): Promise<void> {
    if (!(await this.grantedCodes(profile)).has(code)) throw new EntitlementsRequiredError();
  }

  /** @throws EntitlementsRequiredError when the user lacks what everything else stands on */
  async requireBase(krn: string): Promise<void> {
    if (!(await this.entitled(krn, new Date())).held.has(BASE_ENTITLEMENT)) throw new EntitlementsRequiredError();
  }
}
