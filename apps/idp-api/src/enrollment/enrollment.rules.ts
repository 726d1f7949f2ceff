import type { EnrollmentReason } from '@tandem/contracts';
import { ENROLLMENT_CODES, type EnrollmentCode } from '../array/enrollment-codes';
import { codesGranted, entitlementOf } from '../entitlement/entitlement.rules';
import type { ProfileVersion } from '../profile/profile';
import type { Enrollment } from './enrollment.repository';
import type { Entitled } from '../entitlement/entitlement.service';

/**
 * Who or what requests all granted enrollments, including those that the vendor has ended. `sync` stands for a purchase or a sync by
 * support. Each of the other values becomes the stored reason of the enrollments that the request makes wanted.
 */
export type Ask = 'enrolled' | 'migrated' | 'support' | 'sync';

/** What the vendor reported about a user's enrollments. */
export interface Hint {
  readonly krn: string;
  /** The codes that the vendor reported as ended. */
  readonly ended: readonly EnrollmentCode[];
}

/** The stored state of a code. */
export type EnrollmentState = Pick<Enrollment, 'code' | 'wanted' | 'active' | 'reason'>;

/** The facts that decide a user's enrollments. */
export interface EnrollmentFacts {
  readonly current: readonly EnrollmentState[];
  readonly version: ProfileVersion;
  readonly entitled: Pick<Entitled, 'held' | 'givenUp' | 'brought'>;
  readonly asked: Ask | null;
  /** Codes that the vendor reported as ended at a time when no earlier call of ours could still take effect. */
  readonly endedCodes: readonly string[];
  /** Whether the vendor can no longer carry out an earlier call of ours. */
  readonly isSettled: boolean;
  /**
   * Whether an enrollment that the vendor does not show may be created again in this run, because a report of its end can no longer
   * arrive. This is so in two cases:
   * - The vendor did not know the user before this run.
   * - The vendor's replication delay has passed since the last sign of a change: the vendor's last report of an enrollment of the user, or
   *   the last run that saw a change made by the vendor.
   */
  readonly isSecondLook: boolean;
  /** The codes that the user is enrolled in at the vendor; if the vendor could not be read, the codes that are stored as active. */
  readonly actual: ReadonlySet<EnrollmentCode>;
}

/** What to do about a code. */
export interface EnrollmentDecision extends EnrollmentState {
  readonly wasActive: boolean;
  /** The call to make to the vendor; null for none. `active` is the state after this call has succeeded. */
  readonly call: 'enroll' | 'unenroll' | null;
  /** Whether the vendor seems to have changed the enrollment on its own. The vendor's state must then be read once more. */
  readonly byVendor: boolean;
}

/** Returns whether the vendor ended the enrollment on its own, and nobody has requested the enrollment since. */
const isEndedByVendor = (state: EnrollmentState | undefined): boolean =>
  state !== undefined && !state.wanted && state.reason === 'vendor';

/**
 * Decides what to do about each code, so that a user is enrolled in what the user's version and entitlements grant, except what the
 * vendor ended. The stored `active` is the last state that our calls set or that the vendor showed. If the vendor shows another state of a
 * granted enrollment, and nothing requests the enrollment, the vendor has changed the state:
 *
 * - An active enrollment that the vendor reported as ended, and does not show, was ended by the vendor. It stays ended until it is
 *   requested again or the vendor withdraws the end. Exception: while the vendor may still carry out an earlier call of ours, the
 *   enrollment is created again, because that call may be an un-enroll that is no longer wanted.
 * - When the vendor again shows an enrollment that it had ended, the vendor has withdrawn the end.
 * - An active enrollment that the vendor does not show, without a reported end, is created again only at the second look at the vendor's
 *   state (`isSecondLook`), because the vendor may still report the end. While the vendor may still carry out an earlier call of ours, the
 *   enrollment is created again at the first look.
 *
 * A granted enrollment that is requested is created in every case. Enrollments that are not granted are ended.
 *
 * @returns only the decisions about codes that change, need a call, or whose state at the vendor must be read once more
 */
export function decide(facts: EnrollmentFacts): EnrollmentDecision[] {
  const granted = codesGranted(facts.version, facts.entitled.held);
  const current = new Map(facts.current.map((state) => [state.code, state]));
  return ENROLLMENT_CODES.flatMap((code) => {
    const state = current.get(code);
    const decision = granted.has(code) ? decideGranted(code, state, facts) : decideLost(code, state, facts);
    return decision && (decision.call || decision.byVendor || isChanged(decision, state)) ? decision : [];
  });
}

function decideGranted(
  code: EnrollmentCode,
  state: EnrollmentState | undefined,
  { asked, endedCodes, isSettled, isSecondLook, actual, entitled }: EnrollmentFacts,
): EnrollmentDecision {
  const isThere = actual.has(code);
  const wasActive = state?.active === true;
  const byVendor = { code, wasActive, reason: 'vendor', call: null, byVendor: true } as const;
  if (!asked && isEndedByVendor(state)) {
    if (isThere && !wasActive) return { ...byVendor, wanted: true, active: true };
    return { ...byVendor, wanted: false, active: false, call: wasActive ? 'unenroll' : null, byVendor: false };
  }
  if (!asked && isSettled && state?.wanted && wasActive && !isThere) {
    if (endedCodes.includes(code)) return { ...byVendor, wanted: false, active: false };
    if (!isSecondLook) return { ...byVendor, wanted: true, active: true, reason: state.reason };
  }
  const isOfUser = asked !== null && asked !== 'sync';
  const isBrought = state === undefined && entitled.brought.has(entitlementOf(code));
  const gained = isOfUser ? asked : isBrought ? 'plan_change' : 'enrolled';
  const reason = state?.wanted ? state.reason : gained;
  // If the code was not wanted before, the call is made even if the vendor shows the code, because the vendor may still carry out an
  // earlier un-enroll.
  const call = asked || !state?.wanted || !wasActive || !isThere ? 'enroll' : null;
  return { code, wanted: true, active: true, reason, wasActive, call, byVendor: false };
}

function decideLost(
  code: EnrollmentCode,
  state: EnrollmentState | undefined,
  { actual, entitled }: EnrollmentFacts,
): EnrollmentDecision | null {
  const wasActive = state?.active === true;
  const isThere = actual.has(code);
  if (!state && !isThere) return null;
  const lost: EnrollmentReason = entitled.givenUp.has(entitlementOf(code)) ? 'plan_change' : 'entitlement_lost';
  // If the vendor shows an enrollment whose reason is `vendor`, the vendor has reversed the end, so the un-enroll needs another reason.
  const reason = state && !state.wanted && !(isEndedByVendor(state) && isThere) ? state.reason : lost;
  const call = wasActive || isThere ? 'unenroll' : null;
  return { code, wanted: false, active: false, reason, wasActive, call, byVendor: false };
}

const isChanged = (decision: EnrollmentDecision, state: EnrollmentState | undefined): boolean =>
  decision.wanted !== (state?.wanted ?? false) ||
  decision.active !== (state?.active ?? false) ||
  (state !== undefined && decision.reason !== state.reason);
