import type { EnrollmentReason } from '@tandem/contracts';
import { codesGranted, type EnrollmentCode, entitlementOf, type ProfileVersion } from './enrollment-code.rules';
import type { Enrollment, WantedChange } from './enrollment.repository';
import type { Entitled } from './entitlement.service';

/**
 * What has to change for a user to be enrolled in what its version and entitlements grant, and in nothing else.
 *
 * @param gained why a code that is wanted from now on is
 */
export function wantedChanges(
  current: readonly Pick<Enrollment, 'code' | 'wanted'>[],
  version: ProfileVersion,
  { held, givenUp }: Pick<Entitled, 'held' | 'givenUp'>,
  gained: EnrollmentReason,
): WantedChange[] {
  const granted = codesGranted(version, held);
  const wanted = new Set(current.flatMap(({ code, wanted: is }) => (is ? code : [])));
  const lost = (code: EnrollmentCode): EnrollmentReason =>
    givenUp.has(entitlementOf(code)) ? 'plan_change' : 'entitlement_lost';
  return [
    ...[...granted].filter((code) => !wanted.has(code)).map((code) => ({ code, wanted: true, reason: gained })),
    ...[...wanted].filter((code) => !granted.has(code)).map((code) => ({ code, wanted: false, reason: lost(code) })),
  ];
}
