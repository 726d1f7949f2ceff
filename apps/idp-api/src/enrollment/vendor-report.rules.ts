import type { UserEnrollment } from './enrollment.repository';
import { isEndedByVendor } from './wanted.rules';

/** What the vendor told of an enrollment, by a webhook. */
export interface VendorReport {
  /** Whether the user is enrolled there now. */
  readonly active: boolean;
  /** When the webhook came in. */
  readonly receivedAt: Date;
}

/**
 * - `changed`: it became active or inactive;
 * - `known`: it says what is stored, as the echo of our own call does;
 * - `older`: something newer is stored: a later webhook, or the user asked since;
 * - `differs`: the vendor is to be brought in line: it ended what is only on its way, or has what nobody wants.
 */
export type ReportOutcome = 'changed' | 'known' | 'older' | 'differs';

/** What an enrollment is after a report. */
export interface ReportedEnrollment {
  readonly enrollment: UserEnrollment;
  readonly outcome: ReportOutcome;
}

/**
 * What the vendor's word does to an enrollment. An end that nobody here asked for holds until somebody asks for the enrollment
 * again, or the vendor takes it back; an end that was asked for, and a start, are what is expected.
 */
export function afterReport(current: UserEnrollment, { active, receivedAt }: VendorReport): ReportedEnrollment {
  const last = current.vendorSaidAt;
  if (receivedAt < current.wantedAt || (last !== null && receivedAt < last)) {
    return { enrollment: current, outcome: 'older' };
  }
  const enrollment = { ...current, vendorSaidAt: receivedAt };
  return active ? afterStart(current, enrollment, receivedAt) : afterEnd(enrollment);
}

function afterStart(current: UserEnrollment, enrollment: UserEnrollment, at: Date): ReportedEnrollment {
  if (enrollment.active) return { enrollment, outcome: enrollment.wanted ? 'known' : 'differs' };
  const started = { ...enrollment, wanted: true, active: true, activatedAt: at };
  if (isEndedByVendor(current) || current.wanted) return { enrollment: started, outcome: 'changed' };
  return { enrollment, outcome: 'differs' };
}

function afterEnd(enrollment: UserEnrollment): ReportedEnrollment {
  if (!enrollment.active) return { enrollment, outcome: enrollment.wanted ? 'differs' : 'known' };
  const ended = { ...enrollment, active: false, activatedAt: null };
  if (!enrollment.wanted) return { enrollment: ended, outcome: 'changed' };
  return { enrollment: { ...ended, wanted: false, reason: 'vendor' }, outcome: 'changed' };
}
