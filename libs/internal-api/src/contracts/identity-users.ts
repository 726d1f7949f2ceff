/*
 * What idp-api tells other apps, and the person on call, of a user. It names the personal data that is stored, and never contains it.
 */

/** `GET`: 200 {@link IdentityUser}, also for an unknown user; 404 when the path has no valid KRN. */
export const identityUserPath = (krn: string): string => `/internal/users/${encodeURIComponent(krn)}`;

/** `GET`: 200 {@link IdentityUserAtVendor}. The vendor is asked, for 3 s at most. */
export const identityUserAtVendorPath = (krn: string): string => `${identityUserPath(krn)}/vendor`;

/** Everything that is stored of a user. Times are ISO 8601, UTC. */
export interface IdentityUser {
  readonly krn: string;
  /** The user's key at the vendor, with a profile or without. */
  readonly arrayUserId: string;
  /** Null when there is none. */
  readonly profile: IdentityProfile | null;
  readonly verification: IdentityVerification;
  /** The entitlements of live subscriptions now. */
  readonly entitlements: readonly string[];
  readonly subscriptions: readonly IdentitySubscription[];
  readonly enrollments: readonly IdentityEnrollment[];
  /** Null when the vendor is in line with what is stored. */
  readonly reconciliation: IdentityReconciliation | null;
  /** Alerts that the vendor has reported by a webhook and does not list yet. */
  readonly pushedAlerts: number;
  /** Those of them whose bureau is not known here: no list has them. */
  readonly pushedAlertsOfUnknownBureau: number;
  /** What the user sees samples of; nothing where mock data is not enabled. */
  readonly mock: { readonly alerts: boolean; readonly scans: boolean };
}

export interface IdentityProfile {
  readonly version: number;
  /** Which personal data is stored. */
  readonly configured: Readonly<Record<string, boolean>>;
  /** The enrollments that version and entitlements grant now. */
  readonly grantedCodes: readonly string[];
}

/** Counted by KRN, also before there is a profile. */
export interface IdentityVerification {
  readonly authenticated: boolean;
  /** Refused in a row. */
  readonly attempts: number;
  readonly remainingAttempts: number;
  readonly lastAttemptAt: string | null;
  /** `wait`: until `lockedUntil`; `maximum`: until support changes the profile or it is deleted. Null: not locked. */
  readonly lock: 'wait' | 'maximum' | null;
  readonly lockedUntil: string | null;
}

export interface IdentitySubscription {
  readonly id: string;
  /** `not_captured`: no captured purchase of it has arrived. */
  readonly state: 'live' | 'ended' | 'not_captured';
  /** Its entitlements now. */
  readonly entitlements: readonly string[];
  readonly endsAt: string | null;
  /** In the order of their arrival. */
  readonly events: readonly IdentitySubscriptionEvent[];
}

export interface IdentitySubscriptionEvent {
  readonly type: string;
  readonly occurredAt: string;
  readonly effectiveAt: string | null;
  readonly entitlements: readonly string[] | null;
  readonly paymentStatus: string | null;
}

export interface IdentityEnrollment {
  readonly code: string;
  readonly wanted: boolean;
  /** Whether the vendor has it, as far as this app knows. */
  readonly active: boolean;
  readonly reason: string;
  readonly activatedAt: string | null;
  /** Oldest first. */
  readonly history: readonly { readonly status: string; readonly reason: string; readonly at: string }[];
}

/** The vendor is to be brought in line with what is stored. */
export interface IdentityReconciliation {
  /** `removal`: there is no profile, and the vendor may still know the user. */
  readonly kind: 'enrollments' | 'personal_data' | 'removal';
  readonly dueAt: string;
  /** Failed in a row. */
  readonly failures: number;
  /** Of the last one that failed; null when none did since it was requested. */
  readonly lastError: string | null;
}

/** What the vendor knows of a user now. */
export interface IdentityUserAtVendor {
  /** Null when it could not be asked. */
  readonly isKnown: boolean | null;
  /** The codes that the user is enrolled in there; null when it could not be asked. */
  readonly enrolledCodes: readonly string[] | null;
  /** Whether it lists any alert; null when it could not be asked. */
  readonly hasAlerts: boolean | null;
  /** Why it could not be asked, a text for each of its routes. */
  readonly failures: readonly string[];
}
