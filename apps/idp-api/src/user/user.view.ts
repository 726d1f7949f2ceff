import type { ProfileOverview } from '../profile/profile.repository';
import { MAX_ATTEMPTS } from '../verification/verification.rules';
import type { ProfileStatus } from './user.dto';

/** What a user sees of the profile. A profile is made with a second factor, and every change of it needs one. */
export const profileStatus = ({ configured, ...overview }: ProfileOverview): ProfileStatus => ({
  arrayUserId: overview.arrayUserId,
  authenticated: overview.authenticated,
  twoFactorEnabled: true,
  authAttempts: overview.attempts,
  remainingAuthAttempts: MAX_ATTEMPTS - overview.attempts,
  lastAuthAttempt: overview.lastAttemptAt?.toISOString() ?? null,
  firstNameConfigured: configured.first_name,
  lastNameConfigured: configured.last_name,
  dobConfigured: configured.dob,
  addressConfigured: configured.address,
  emailConfigured: configured.email_address,
  phoneNumberConfigured: configured.phone_number,
  ssnConfigured: configured.ssn,
});
