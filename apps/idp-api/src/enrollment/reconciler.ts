import { Injectable } from '@nestjs/common';
import { ENROLLMENT_CHANGED } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { arrayUserIdOf } from '../profile/array-user-id';
import type { PersonalData, Profile } from '../profile/profile';
import { ProfileRepository } from '../profile/profile.repository';
import type { TimeBudget } from '../array/time-budget';
import { VendorUsers } from '../array/vendor-users';
import { UserBusyError } from '../user-lock/user-lock.errors';
import { allOf, isOver, outcomeOf, VendorError, type VendorOutcome } from '../array/vendor.errors';
import type { EnrollmentCode } from '../array/enrollment-codes';
import { type Enrollment, type EnrollmentChange, EnrollmentRepository } from './enrollment.repository';
import { decide, type EnrollmentDecision } from './enrollment.rules';
import { EntitlementService } from '../entitlement/entitlement.service';
import {
  type Claim,
  ReconciliationRepository,
  type Request,
  SupersededError,
  type WriteClaim,
} from './reconciliation.repository';

/** What {@link Reconciler.writeData} does in addition to writing a user's data to the vendor. */
export interface WriteSteps {
  /** Whether the user has no profile yet. */
  readonly isNew?: boolean;
  /** Has the vendor verify that the data belongs to the user. Returns the time of the confirmation, which is then passed to `commit`. */
  readonly verify?: () => Promise<Date>;
  readonly commit: (manager: EntityManager, confirmedAt: Date | undefined) => Promise<void>;
}

interface ActualEnrollments {
  readonly codes: ReadonlySet<EnrollmentCode>;
  /** Whether this run found that the vendor did not know the user. */
  readonly isNew: boolean;
}

/** How long a request may spend on reconciling its user. The worker does the work that remains. */
const AT_ONCE_MS = 3_000;

/**
 * Makes the vendor's state match the wanted state. A user with a profile must exist at the vendor and be enrolled as wanted. A user without
 * a profile must not exist at the vendor. Every step may be repeated. The caller holds the user's lock in `UserLocks`. A caller that has lost
 * the lock can no longer save anything once the next holder has claimed the user.
 */
@Injectable()
export class Reconciler {
  constructor(
    private readonly outbox: Outbox,
    private readonly queue: ReconciliationRepository,
    private readonly profiles: ProfileRepository,
    private readonly entitlements: EntitlementService,
    private readonly enrollments: EnrollmentRepository,
    private readonly vendor: VendorUsers,
  ) {}

  /** Registers the worker, which {@link wake} wakes. @param listener is called when a user may have become due for the worker */
  onPending(listener: () => void): void {
    this.wake = listener;
  }

  /** Wakes the worker, because a user may have become due. */
  wake: () => void = () => undefined;

  /** Requests that a user is reconciled after the commit of the transaction, by `carryOut` or by the worker. */
  request(manager: EntityManager, krn: string, request?: Request): Promise<void> {
    return this.queue.request(manager, krn, request);
  }

  /**
   * Writes a user's data to the vendor, and then commits it in our database. When a step fails, the worker restores the stored state at the
   * vendor: it sends the previous data again or, for a new user, deletes the user.
   *
   * @throws VendorError, UserBusyError when the user was claimed again or deleted, errors of the steps; the data is then not saved
   */
  async writeData(
    { krn, arrayUserId }: Profile,
    data: PersonalData,
    budget: TimeBudget,
    steps: WriteSteps,
  ): Promise<void> {
    const claim = await this.queue.claimForWrite(krn);
    let isWritten = false;
    try {
      // Removes data of an earlier, deleted profile of the user that may still be at the vendor.
      if (steps.isNew && claim.existed) await this.vendor.delete(arrayUserId, budget);
      await this.vendor.put(arrayUserId, data, budget);
      isWritten = true;
      const confirmedAt = await steps.verify?.();
      await this.outbox.transaction(async (manager) => {
        if (!steps.isNew && !(await this.profiles.lock(manager, krn))) throw new SupersededError();
        await this.queue.settle(manager, claim, !budget.hasBrokenWrite, steps.isNew ? 'enrolled' : undefined);
        await steps.commit(manager, confirmedAt);
      });
    } catch (error) {
      await this.takeBack(claim, error, (isWritten || isOver(error)) && !budget.hasBrokenWrite);
      throw error instanceof SupersededError ? new UserBusyError() : error;
    }
    if (!steps.isNew) this.wake();
  }

  /** Schedules a run that restores the stored state at the vendor. @param isOver whether the vendor can no longer carry out the write */
  private async takeBack(claim: WriteClaim, error: unknown, isOver: boolean): Promise<void> {
    if (error instanceof SupersededError) {
      await this.outbox.transaction((manager) => this.queue.request(manager, claim.krn, { personalData: true }));
    } else await this.queue.release(claim, isOver);
    this.wake();
  }

  /**
   * Reconciles a user within the time that a request can wait. The worker does the work that remains. Does not throw when the vendor fails.
   *
   * @returns the state of every code in which the user should be enrolled, or once should have been
   */
  async carryOut(krn: string, budget: TimeBudget): Promise<Enrollment[]> {
    const claim = await this.queue.claim(krn);
    try {
      if (claim) await this.reconcile(claim, budget.atMost(AT_ONCE_MS));
    } catch (error) {
      if (error instanceof VendorError) await this.queue.postpone(claim as Claim, 0, null);
      else if (!(error instanceof SupersededError)) throw error;
    }
    this.wake();
    return this.enrollments.findAll(krn);
  }

  /**
   * Makes the vendor's state of a claimed user match the wanted state.
   * @throws VendorError (the steps that succeeded before are saved); SupersededError when the user was claimed again or deleted during the
   *  run (this run then saves nothing)
   */
  async reconcile(claim: Claim, budget: TimeBudget): Promise<void> {
    const profile = await this.profiles.find(claim.krn);
    if (profile) return this.enroll(profile, claim, budget);
    await this.write(claim, budget, () => this.vendor.delete(arrayUserIdOf(claim.krn), budget));
    await this.outbox.transaction((manager) => this.queue.finish(manager, claim, null));
  }

  private async enroll(profile: Profile, claim: Claim, budget: TimeBudget): Promise<void> {
    const { krn, version } = profile;
    // `claimedAt` serves as the current time: like the time at which the queue makes the user due, it comes from the database's clock.
    const [entitled, current] = await Promise.all([
      this.entitlements.entitled(krn, claim.claimedAt),
      this.enrollments.findAll(krn),
    ]);
    const { value: actual, failure: unseen } = await outcomeOf(this.findActual(profile, claim, budget));
    // The wanted state is decided even if the vendor's state cannot be read, because users see the wanted enrollments in their lists.
    const asRecorded = new Set(current.flatMap(({ code, active }) => (active ? code : [])));
    const { lateWriteUntil, lookAt, claimedAt } = claim;
    const isSettled = lateWriteUntil === null || lateWriteUntil <= claimedAt;
    const isSecondLook = actual?.isNew === true || (lookAt !== null && lookAt <= claimedAt);
    const facts = { ...claim, version, entitled, current, isSettled, isSecondLook };
    const decisions = decide({ ...facts, actual: actual?.codes ?? asRecorded });
    const stored = decisions.filter(({ code, wanted }) => wanted || current.some((one) => one.code === code));
    const calls = unseen
      ? { failed: decisions, failure: unseen }
      : await this.callVendor(profile, decisions, claim, budget);
    const changes = stored.map((decision) =>
      calls.failed.includes(decision) ? { ...decision, active: decision.wasActive } : decision,
    );
    const lookAgain = decisions.some(({ byVendor }) => byVendor);
    // A later run must repeat a failed enroll. If the code is stored as active, only a run with a request does so. The request is then kept.
    const isAskSaved = !unseen && !calls.failed.some(({ call, wasActive }) => call === 'enroll' && wasActive);
    await this.save(profile, changes, (manager) =>
      calls.failure
        ? this.queue.hold(manager, claim, { lookAgain, isAskSaved })
        : this.queue.finish(manager, claim, entitled.nextChangeAt, lookAgain),
    );
    if (calls.failure) throw calls.failure.error;
  }

  /**
   * Returns what the user is enrolled in at the vendor. If the vendor may have other personal data, or does not know the user, this method
   * first sends the stored data to the vendor.
   */
  private async findActual(profile: Profile, claim: Claim, budget: TimeBudget): Promise<ActualEnrollments> {
    const { arrayUserId } = profile;
    const known = claim.personalData ? null : await this.vendor.findEnrollments(arrayUserId, budget);
    if (known) return { codes: known, isNew: false };
    await this.putStored(profile, claim, budget);
    const codes = (await this.vendor.findEnrollments(arrayUserId, budget)) ?? new Set<EnrollmentCode>();
    return { codes, isNew: !claim.personalData };
  }

  /** Sends the stored data of a claimed user to the vendor. @throws VendorError, SupersededError */
  async putStored({ krn, arrayUserId }: Profile, claim: Claim, budget: TimeBudget): Promise<void> {
    const data = (await this.profiles.findPersonalData(krn)) as PersonalData;
    await this.write(claim, budget, () => this.vendor.put(arrayUserId, data, budget));
  }

  /** Makes the calls that the decisions need, concurrently. @returns the decisions whose call failed, and one of the failures */
  private async callVendor(
    { arrayUserId }: Profile,
    decisions: readonly EnrollmentDecision[],
    claim: Claim,
    budget: TimeBudget,
  ): Promise<{ failed: readonly EnrollmentDecision[]; failure?: VendorOutcome<void>['failure'] }> {
    const succeeded = new Set<EnrollmentDecision>();
    const needed = decisions.filter(({ call }) => call !== null);
    if (needed.length === 0) return { failed: [] };
    const call = async (decision: EnrollmentDecision): Promise<void> => {
      await this.vendor[decision.call as 'enroll' | 'unenroll'](arrayUserId, decision.code, budget);
      succeeded.add(decision);
    };
    const { failure } = await outcomeOf(this.write(claim, budget, () => allOf(needed.map(call))));
    return { failed: needed.filter((decision) => !succeeded.has(decision)), failure };
  }

  /**
   * Makes calls that change the user at the vendor. The vendor may carry out a call even after the call failed or the process was killed.
   * Before the calls, the queue therefore stores the latest time at which this can happen, and the user is reconciled again at that time. If
   * no call can take effect after this method, the previous time is restored.
   */
  private async write(claim: Claim, budget: TimeBudget, calls: () => Promise<void>): Promise<void> {
    await this.queue.noteWrite(claim);
    try {
      await calls();
    } catch (error) {
      if (isOver(error) && !budget.hasBrokenWrite) await this.queue.forgetWrite(claim);
      throw error;
    }
    if (!budget.hasBrokenWrite) await this.queue.forgetWrite(claim);
  }

  /**
   * Saves the new state of the enrollments, and publishes an event for each enrollment that became active or inactive.
   *
   * @param claimed ends or holds the claim; called in the transaction that saves the enrollments
   * @throws SupersededError
   */
  private async save(
    { krn, arrayUserId }: Profile,
    changes: readonly EnrollmentChange[],
    claimed: (manager: EntityManager) => Promise<void>,
  ): Promise<void> {
    const at = new Date();
    const changed = changes.filter(({ active, wasActive }) => active !== wasActive);
    const events = changed.map(({ code, active, reason }) => ({
      data: { krn, arrayUserId, code, active, reason, changedAt: at.toISOString() },
    }));
    await this.outbox.transaction(async (manager) => {
      // Transactions lock the profile's row before the user's row in the queue, so that they cannot deadlock.
      if (!(await this.profiles.lock(manager, krn))) throw new SupersededError();
      await claimed(manager);
      await this.enrollments.save(manager, krn, changes, at);
      await this.outbox.addMany(manager, ENROLLMENT_CHANGED, events);
    });
  }
}
