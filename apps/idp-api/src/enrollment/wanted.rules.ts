import type { EnrollmentReason } from '@tandem/contracts';
import { codesGranted, type EnrollmentCode, entitlementOf, type ProfileVersion } from './enrollment-code.rules';
import type { Enrollment, WantedChange } from './enrollment.repository';
import type { Entitled } from './entitlement.service';

/** What decides whether a code is to be wanted. */
export type WantedState = Pick<Enrollment, 'code' | 'wanted' | 'reason' | 'wantedAt' | 'vendorSaidAt'>;

/** Whether the vendor ended it by itself, and nobody asked for it since. */
export const isEndedByVendor = ({ wanted, reason, wantedAt, vendorSaidAt }: WantedState): boolean =>
  !wanted && reason === 'vendor' && vendorSaidAt !== null && vendorSaidAt >= wantedAt;

/**
 * What has to change for a user to be enrolled in what its version and entitlements grant, and in nothing else.
 *
 * @param gained why a code that is wanted from now on is; what a plan change brings first has that reason, unless somebody asks
 * @param isAsked whether somebody asks for it now; otherwise what the vendor ended by itself stays so
 */
export function wantedChanges(
  current: readonly WantedState[],
  version: ProfileVersion,
  { held, givenUp, brought }: Pick<Entitled, 'held' | 'givenUp' | 'brought'>,
  gained: EnrollmentReason,
  isAsked: boolean,
): WantedChange[] {
  const granted = codesGranted(version, held);
  const wanted = new Set(current.flatMap(({ code, wanted: is }) => (is ? code : [])));
  const ended = new Set(current.flatMap((one) => (!isAsked && isEndedByVendor(one) ? one.code : [])));
  const lost = (code: EnrollmentCode): EnrollmentReason =>
    givenUp.has(entitlementOf(code)) ? 'plan_change' : 'entitlement_lost';
  const known = new Set(current.map(({ code }) => code));
  const reasonOf = (code: EnrollmentCode): EnrollmentReason =>
    !isAsked && !known.has(code) && brought.has(entitlementOf(code)) ? 'plan_change' : gained;
  const missing = [...granted].filter((code) => !wanted.has(code) && !ended.has(code));
  return [
    ...missing.map((code) => ({ code, wanted: true, reason: reasonOf(code) })),
    ...[...wanted].filter((code) => !granted.has(code)).map((code) => ({ code, wanted: false, reason: lost(code) })),
  ];
}
