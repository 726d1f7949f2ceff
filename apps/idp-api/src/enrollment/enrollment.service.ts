import { Injectable } from '@nestjs/common';
import { ENROLLMENT_CHANGED, type EnrollmentReason } from '@tandem/contracts';
import type { SubscriptionReceipt } from '@tandem/internal-api';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Profile } from '../profile/profile';
import {
  type ActualEnrollment,
  type Enrollment,
  EnrollmentRepository,
  type EnrollmentStatus,
  type WantedChange,
} from './enrollment.repository';
import { EntitlementService } from './entitlement.service';
import { ReconciliationRepository } from './reconciliation.repository';
import { wantedChanges } from './wanted.rules';

/** What is to be wanted, and until when. */
export interface EnrollmentPlan {
  readonly changes: readonly WantedChange[];
  /** When something else is granted by itself; null for never. */
  readonly nextAt: Date | null;
}

/** What users are to be enrolled in, and what they are. Changed by whoever has the user's lock. */
@Injectable()
export class EnrollmentService {
  constructor(
    private readonly enrollments: EnrollmentRepository,
    private readonly entitlements: EntitlementService,
    private readonly reconciliations: ReconciliationRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Every code that the user was ever to be enrolled in. */
  list(krn: string): Promise<Enrollment[]> {
    return this.enrollments.findAll(krn);
  }

  /** What became of each code, oldest first. */
  listHistory(krn: string): Promise<EnrollmentStatus[]> {
    return this.enrollments.findHistory(krn);
  }

  /**
   * What has to be wanted for a user to have what its version and entitlements grant. Read before the transaction that `want`s it,
   * which must not wait for a second connection.
   *
   * @param gained why a code that is wanted from now on is
   * @param options.isAsked whether somebody asks for it now; otherwise what the vendor ended by itself stays so
   * @param options.receipts what the transaction stores too
   */
  async plan(
    { krn, version }: Profile,
    gained: EnrollmentReason,
    { isAsked = true, receipts = [] }: { isAsked?: boolean; receipts?: readonly SubscriptionReceipt[] } = {},
  ): Promise<EnrollmentPlan> {
    const [entitled, current] = await Promise.all([
      this.entitlements.entitled(krn, new Date(), receipts),
      this.enrollments.findAll(krn),
    ]);
    return { changes: wantedChanges(current, version, entitled, gained, isAsked), nextAt: entitled.nextChangeAt };
  }

  /** Keeps what is wanted. */
  async saveWanted(manager: EntityManager, krn: string, { changes }: EnrollmentPlan): Promise<void> {
    if (changes.length > 0) await this.enrollments.saveWanted(manager, krn, changes);
  }

  /** Keeps what is asked for, and has the vendor brought in line with it. */
  async want(manager: EntityManager, krn: string, plan: EnrollmentPlan): Promise<void> {
    await this.enrollments.ask(manager, [{ krn, at: new Date() }]);
    await this.saveWanted(manager, krn, plan);
    await this.reconciliations.request(manager, krn);
  }

  /** Keeps what is so at the vendor, and publishes what changed by that. */
  async recordActual(
    manager: EntityManager,
    { krn, arrayUserId }: Profile,
    actual: readonly ActualEnrollment[],
  ): Promise<void> {
    const at = new Date();
    const changes = await this.enrollments.saveActive(manager, krn, actual, at);
    const changedAt = at.toISOString();
    await this.outbox.addMany(
      manager,
      ENROLLMENT_CHANGED,
      changes.map((change) => ({ data: { krn, arrayUserId, ...change, changedAt } })),
    );
  }

  /** Publishes that enrollments end with their user. Whoever calls it has the user's row. */
  async publishDeleted(manager: EntityManager, { krn, arrayUserId }: Profile): Promise<void> {
    const end = { active: false, reason: 'user_deleted', changedAt: new Date().toISOString() } as const;
    const active = (await this.enrollments.findOfUsers(manager, [krn])).filter((enrollment) => enrollment.active);
    await this.outbox.addMany(
      manager,
      ENROLLMENT_CHANGED,
      active.map(({ code }) => ({ data: { krn, arrayUserId, code, ...end } })),
    );
  }
}
