import { Injectable } from '@nestjs/common';
import { ENROLLMENT_CHANGED } from '@tandem/contracts';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Profile } from '../profile/profile';
import { ENROLLMENT_CODES, type EnrollmentCode } from './enrollment-code.rules';
import { EnrollmentRepository, type UserEnrollment } from './enrollment.repository';
import { ReconciliationRepository } from './reconciliation.repository';
import { afterReport, type ReportOutcome, type VendorReport } from './vendor-report.rules';

/** What the vendor told of one of a user's enrollments. */
export interface UserReport extends VendorReport {
  readonly profile: Profile;
  /** As the vendor names it. */
  readonly productCode: string;
  /** Of the event that told it. */
  readonly traceparent?: string;
}

interface Change {
  readonly report: UserReport;
  readonly enrollment: UserEnrollment;
}

/** Keeps what the vendor tells of enrollments by itself, and publishes what changed by that. */
@Injectable()
export class VendorReportService {
  constructor(
    private readonly enrollments: EnrollmentRepository,
    private readonly reconciliations: ReconciliationRepository,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Whoever calls it has the users' rows. By sets: one statement for each kind of row.
   *
   * @param reports in the order of their arrival
   * @returns what came of each of them; `unknown_code` and `never_wanted` where there is no such enrollment
   */
  async record(
    manager: EntityManager,
    reports: readonly UserReport[],
  ): Promise<(ReportOutcome | 'unknown_code' | 'never_wanted')[]> {
    if (reports.length === 0) return [];
    const krns = [...new Set(reports.map(({ profile }) => profile.krn))];
    const current = await this.enrollments.findOfUsers(manager, krns);
    const stored = new Map(current.map((enrollment) => [keyOf(enrollment.krn, enrollment.code), enrollment]));
    const told = new Map<string, UserEnrollment>();
    const changes: Change[] = [];
    const outcomes = reports.map((report) => {
      const key = keyOf(report.profile.krn, report.productCode);
      const before = told.get(key) ?? stored.get(key);
      if (!before) return isCode(report.productCode) ? ('never_wanted' as const) : ('unknown_code' as const);
      const { enrollment, outcome } = afterReport(before, report);
      if (outcome !== 'older') told.set(key, enrollment);
      if (outcome === 'changed') changes.push({ report, enrollment });
      return outcome;
    });
    await this.save(manager, [...told.values()], changes);
    const behind = reports.filter((_, index) => isBehind(outcomes[index]));
    if (behind.length > 0) {
      await this.reconciliations.requestKnown(manager, new Set(behind.map(({ profile }) => profile.krn)));
    }
    return outcomes;
  }

  private async save(
    manager: EntityManager,
    told: readonly UserEnrollment[],
    changes: readonly Change[],
  ): Promise<void> {
    if (told.length > 0) {
      const statuses = changes.map(({ report, enrollment }) => ({ ...enrollment, at: report.receivedAt }));
      await this.enrollments.saveTold(manager, told, statuses);
    }
    await this.outbox.addMany(manager, ENROLLMENT_CHANGED, changes.map(changedEvent));
  }
}

/** The vendor may differ from what is wanted; of an echo it does not. */
const isBehind = (outcome: string | undefined): boolean =>
  ['changed', 'differs', 'never_wanted'].includes(outcome ?? '');

const isCode = (code: string): boolean => ENROLLMENT_CODES.includes(code as EnrollmentCode);

const keyOf = (krn: string, code: string): string => `${krn} ${code}`;

const changedEvent = ({ report, enrollment: { code, active, reason } }: Change) => ({
  data: {
    krn: report.profile.krn,
    arrayUserId: report.profile.arrayUserId,
    code,
    active,
    reason,
    changedAt: report.receivedAt.toISOString(),
  },
  ...(report.traceparent && { traceparent: report.traceparent }),
});
