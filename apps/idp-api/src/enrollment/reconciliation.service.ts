import { Injectable } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import { arrayUserIdOf } from '../profile/array-user-id';
import type { PersonalData, Profile } from '../profile/profile';
import { ProfileRepository } from '../profile/profile.repository';
import type { TimeBudget } from '../vendor/time-budget';
import { VendorUsers } from '../vendor/vendor-users';
import { IdpApiConfig } from '../config';
import { VendorError, VendorRefusedError, VendorRoutePausedError } from '../vendor/vendor.errors';
import type { EnrollmentCode } from './enrollment-code.rules';
import { EnrollmentService } from './enrollment.service';
import { type Reconciliation, ReconciliationRepository } from './reconciliation.repository';

/**
 * Brings the vendor in line with what is stored here: a user with a profile is known and enrolled as wanted, one without is gone.
 * Every step may be repeated. Called by whoever has the user's lock.
 */
@Injectable()
export class ReconciliationService {
  constructor(
    private readonly config: IdpApiConfig,
    private readonly outbox: Outbox,
    private readonly reconciliations: ReconciliationRepository,
    private readonly profiles: ProfileRepository,
    private readonly enrollments: EnrollmentService,
    private readonly vendor: VendorUsers,
  ) {}

  /** What a request does of it at once. The rest is left to the worker: a vendor that fails is no failure here. */
  async tryNow(krn: string, budget: TimeBudget): Promise<void> {
    const reconciliation = await this.reconciliations.find(krn);
    if (!reconciliation) return;
    await this.reconcile(reconciliation, budget).catch((error: unknown) => {
      if (!(error instanceof VendorError)) throw error;
    });
  }

  /**
   * Makes calls that change a queued user at the vendor. One that failed, or whose process was killed, may still be acted on: that is
   * noted before, and the user is then brought in line once more, after the last moment at which it can happen.
   */
  async write<T>(krn: string, calls: () => Promise<T>): Promise<T> {
    const before = await this.reconciliations.noteWrite(krn, this.config.VENDOR_LATE_WRITE_SECONDS);
    const forget = async (): Promise<void> => {
      if (before) await this.reconciliations.forgetWrite(krn, before);
    };
    try {
      const result = await calls();
      await forget();
      return result;
    } catch (error) {
      if (isOver(error)) await forget();
      throw error;
    }
  }

  /** @throws VendorError, VendorTimeoutError: what was done until then is kept */
  async reconcile(reconciliation: Reconciliation, budget: TimeBudget): Promise<void> {
    const { krn } = reconciliation;
    const profile = await this.profiles.find(krn);
    if (!profile) {
      await this.write(krn, () => this.vendor.delete(arrayUserIdOf(krn), budget));
      return this.outbox.transaction((manager) => this.reconciliations.finish(manager, reconciliation, null));
    }
    const plan = await this.enrollments.plan(profile, 'enrolled', { isAsked: false });
    if (plan.changes.length > 0) {
      await this.outbox.transaction((manager) => this.enrollments.saveWanted(manager, krn, plan));
    }
    const known = reconciliation.personalData ? null : await this.vendor.findEnrollments(profile.arrayUserId, budget);
    const actual = known ?? (await this.introduce(profile, budget));
    await this.enrollAsWanted(profile, actual, budget);
    await this.outbox.transaction((manager) => this.reconciliations.finish(manager, reconciliation, plan.nextAt));
  }

  /** Tells the vendor who the user is. @returns what the user is enrolled in there */
  private async introduce({ krn, arrayUserId }: Profile, budget: TimeBudget): Promise<ReadonlySet<EnrollmentCode>> {
    const data = (await this.profiles.findPersonalData(krn)) as PersonalData;
    await this.write(krn, () => this.vendor.put(arrayUserId, data, budget));
    return (await this.vendor.findEnrollments(arrayUserId, budget)) ?? new Set();
  }

  private async enrollAsWanted(
    profile: Profile,
    enrolled: ReadonlySet<EnrollmentCode>,
    budget: TimeBudget,
  ): Promise<void> {
    const all = await this.enrollments.list(profile.krn);
    const wanted = new Set(all.flatMap(({ code, wanted: is }) => (is ? code : [])));
    const actual = new Map(all.map(({ code }) => [code, enrolled.has(code)]));
    const change = async (code: EnrollmentCode, active: boolean): Promise<void> => {
      if (active) await this.vendor.enroll(profile.arrayUserId, code, budget);
      else await this.vendor.unenroll(profile.arrayUserId, code, budget);
      if (actual.has(code)) actual.set(code, active);
    };
    const missing = [...wanted].filter((code) => !enrolled.has(code));
    const surplus = [...enrolled].filter((code) => !wanted.has(code));
    const changes = (): Promise<void> =>
      allOf([...missing.map((code) => change(code, true)), ...surplus.map((code) => change(code, false))]);
    const isBehind = missing.length + surplus.length > 0;
    const failure = isBehind
      ? await this.write(profile.krn, changes).catch((error: unknown) => ({ error }))
      : undefined;
    const seen = all.map(({ code, vendorSaidAt }) => ({ code, active: actual.get(code) === true, vendorSaidAt }));
    await this.outbox.transaction((manager) => this.enrollments.recordActual(manager, profile, seen));
    if (failure) throw failure.error;
  }
}

/** Whether the vendor does nothing more because of the call: it refused it, or was never asked. */
const isOver = (error: unknown): boolean =>
  error instanceof VendorRefusedError || error instanceof VendorRoutePausedError;

/** Waits for all calls. @throws of several failures one after which the vendor may still act, if there is one */
async function allOf(calls: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  const reasons: unknown[] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (reasons.length > 0) throw reasons.find((reason) => !isOver(reason)) ?? reasons[0];
}
