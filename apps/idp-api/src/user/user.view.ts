import type { AddressBody, ProfileStatus, SupportChangeBody } from '@tandem/internal-api';
import type { Enrollment } from '../enrollment/enrollment.repository';
import type { PersonalData } from '../profile/profile';
import type { ProfileOverview } from '../profile/profile.repository';
import type { UserToken } from '../array/vendor-users';
import { arrayUserIdOf } from '../profile/array-user-id';
import { PERSONAL_COLUMNS, type PersonalColumn } from '../profile/profile-cipher';
import { lockedUntil, MAX_ATTEMPTS, type VerificationState } from '../profile/verification.rules';
import type { PersonalDataChange } from './change-user.service';
import type { ChangeUserBody, CreateUserBody, EnrollmentView, UserTokenAnswer } from './user.dto';

type StatusSource = Pick<ProfileOverview, 'arrayUserId' | 'configured'> & VerificationState;

/**
 * Returns what a user or support sees of a profile. `twoFactorEnabled` is true for every profile, because creating a profile needs a second
 * factor.
 */
export function profileStatus({ configured, ...state }: StatusSource): ProfileStatus {
  const until = lockedUntil(state);
  return {
    arrayUserId: state.arrayUserId,
    authenticated: state.authenticated,
    twoFactorEnabled: true,
    authAttempts: state.attempts,
    remainingAuthAttempts: MAX_ATTEMPTS - state.attempts,
    lastAuthAttempt: state.lastAttemptAt?.toISOString() ?? null,
    ...(until && { lockedUntil: until.toISOString() }),
    firstNameConfigured: configured.first_name,
    lastNameConfigured: configured.last_name,
    dobConfigured: configured.dob,
    addressConfigured: configured.address,
    emailConfigured: configured.email_address,
    phoneNumberConfigured: configured.phone_number,
    ssnConfigured: configured.ssn,
  };
}

const NOTHING_CONFIGURED = Object.fromEntries(PERSONAL_COLUMNS.map((column) => [column, false])) as Record<
  PersonalColumn,
  boolean
>;

/** Returns the status of a user without a profile, which only support sees. */
export const statusWithoutProfile = (krn: string, state: VerificationState): ProfileStatus => ({
  ...profileStatus({ ...state, arrayUserId: arrayUserIdOf(krn), configured: NOTHING_CONFIGURED }),
  twoFactorEnabled: false,
});

export const tokenAnswer = (token: UserToken | null): UserTokenAnswer =>
  token ?? { userToken: null, expirationDate: null };

export const enrollmentViews = (enrollments: readonly Enrollment[]): EnrollmentView[] =>
  enrollments.map(({ code, active, activatedAt }) => ({
    code,
    active,
    activatedAt: activatedAt?.toISOString() ?? null,
  }));

export const personalDataOf = (body: CreateUserBody): PersonalData => ({
  firstName: body.firstName,
  lastName: body.lastName,
  dob: body.dob,
  emailAddress: body.emailAddress,
  address: addressOf(body.address),
  phoneNumber: body.phoneNumber ?? null,
  ssn: body.ssn ?? null,
});

/** Returns the changed fields, without the fields that the body omits. */
export const changeOf = ({ address, ...body }: ChangeUserBody | SupportChangeBody): PersonalDataChange => ({
  ...Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
  ...(address && { address: addressOf(address) }),
});

const addressOf = ({ street, city, state, zip }: AddressBody): PersonalData['address'] => ({
  street,
  city,
  state: state.toUpperCase(),
  zip,
});
