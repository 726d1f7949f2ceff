import { rule, type Section } from './rule';

/** Who may call the client API of identity protection. */
export const IDENTITY_AUTHENTICATION: Section = {
  title: 'Identity: tokens, second factor, errors',
  rules: [
    rule('idp-auth.unauthorized', 'A missing or invalid token is 401 `{"error":"…"}` with `WWW-Authenticate: Bearer`.'),
    rule('idp-auth.claims', '`iss`, `aud`, `exp`, `nbf` and `sub` are checked.'),
    rule('idp-auth.signature', 'Only asymmetric signatures by the issuer’s published keys are accepted.'),
    rule('idp-auth.skew', 'Clocks may differ by 60 s.'),
    rule('idp-auth.krn', 'A `sub` that is not a user’s KRN is 401.'),
    rule('idp-auth.families', 'Service access tokens and OpenID access tokens of one KRN see the same user.'),
    rule(
      'idp-auth.rotation',
      'A new signing key works without a restart; unknown keys do not cause a flood of requests to the issuer.',
    ),
    rule(
      'idp-auth.second-factor',
      'Operations that need a second factor answer a token without one with `TwoFactorAuthRequired` and the challenge of RFC 9470.',
    ),
    rule(
      'idp-auth.second-factor-claims',
      'A token has a second factor when `amr` has `mfa` or `acr` is `mfa`, and `auth_time` is at most 60 minutes ago.',
    ),
    rule('idp-auth.plain', 'Reading the profile needs no second factor.'),
    rule('idp-auth.order', 'The second factor is checked before the body.'),
    rule('idp-limits.onboarding', 'create, enroll and token are limited to 10 requests per minute and user each.'),
    rule('idp-errors.not-found', 'An unknown path is 404 `{"error":"…"}`.'),
    rule('idp-errors.method', 'An unsupported method is 405 `{"error":"…"}` with `Allow`.'),
  ],
};

/** Request bodies of the profile. */
export const IDENTITY_INPUT: Section = {
  title: 'Identity: bodies',
  rules: [
    rule('idp-input.fields', '`InputValidationFailure` names exactly the invalid paths, such as `address.zip`.'),
    rule('idp-input.all-fields', 'It names all of the invalid paths.'),
    rule(
      'idp-input.required',
      'Names, `dob`, `emailAddress` and `address` are required by a create; null counts as absent.',
    ),
    rule(
      'idp-input.limits',
      'Names 1–64, age 18–120, e-mail ≤ 254, phone 10–15 digits, ssn 4 or 9 digits; unknown fields are ignored.',
    ),
    rule('idp-input.change', 'A change follows the same rules, and an `address` must be complete.'),
    rule('idp-input.empty-change', 'A change without any field is an invalid `body`.'),
    rule('idp-input.version', 'A `version` other than 0 or 1 is invalid.'),
    rule('idp-input.migration-body', 'A migration without a body is an invalid `body`; `{}` is version 0.'),
    rule('idp-input.broken', 'Broken JSON, or a body that is not an object, is an invalid `body`.'),
    rule('idp-input.type', 'A body with a content type other than JSON is 415.'),
    rule('idp-input.size', 'A body above 64 KiB is 413.'),
    rule('idp-input.ignored', 'A body is ignored when the operation takes none.'),
  ],
};

/** The profile and its operations. */
export const IDENTITY_USER: Section = {
  title: 'Identity: profile',
  rules: [
    rule('idp-user.create', 'A create answers 200 `{"userToken","expirationDate"}`.'),
    rule('idp-user.token-life', 'A token is valid for 900 s; `expirationDate` is in Unix seconds.'),
    rule('idp-user.create-once', 'Concurrent creates make one profile and one user at the vendor.'),
    rule('idp-user.already-exists', 'A second create is `UserAlreadyExists`.'),
    rule('idp-user.entitlements', 'A create without `idp.identity` is `EntitlementsRequired`.'),
    rule('idp-user.create-vendor-fails', 'When the vendor fails at `users` or `verify`: 502 or 504, and no profile.'),
    rule(
      'idp-user.create-rest-follows',
      'When the vendor fails at `token` or `enrollments`: 200, and the rest is completed later.',
    ),
    rule('idp-user.version-0', 'Version 0 enrolls in `IDENTITY_MONITORING, DATA_REMOVAL, CREDIT_SCORE`.'),
    rule('idp-user.version-1', 'Version 1 enrolls in these and four more.'),
    rule('idp-user.grants', 'A product code is granted when the version includes it and the user has its entitlement.'),
    rule('idp-user.profile', 'The profile status shows the configuration, and how often a verification was refused.'),
    rule('idp-user.locked-until', 'During a wait, and only then, the profile status has `lockedUntil`.'),
    rule('idp-user.not-found', 'Without a profile every operation except a create is `UserNotFound`.'),
    rule('idp-user.trim', 'Texts are trimmed, and `state` is stored in capitals.'),
    rule('idp-user.encrypted', 'Personal data is encrypted at rest.'),
    rule('idp-user.private', 'Personal data is in no log, event, error or metric.'),
    rule(
      'idp-user.story',
      'The story of a user says why it is locked, is not enrolled or sees no alerts, and what to do next, without personal data.',
    ),
    rule('idp-user.key-rotation', 'A command rotates the keys while the app runs.'),
    rule('idp-user.patch', 'A change answers with the profile status.'),
    rule('idp-user.patch-no-entitlement', 'A change needs a profile, and no entitlement.'),
    rule('idp-user.patch-vendor-fails', 'A change has no effect while the vendor fails.'),
    rule('idp-user.vendor-status', 'A failure of the vendor is 502, a timeout 504.'),
    rule('idp-user.patch-refused', 'A change that the vendor refuses to verify changes nothing.'),
    rule('idp-user.delete', 'A delete answers `{"arrayUserId","deleted":true}` and erases the stored data at once.'),
    rule(
      'idp-user.delete-vendor-fails',
      'While the vendor fails, a delete is 200, and the vendor’s data is removed later.',
    ),
    rule('idp-user.token', 'A token is issued to a user whom the vendor verifies.'),
    rule('idp-user.migration', 'A migration answers `{"version","enrollments"}`; 0→0, 0→1 and 1→1 are allowed.'),
    rule('idp-user.migration-back', '1→0 is an invalid `version`.'),
    rule('idp-user.migration-default', 'An omitted version is 0.'),
    rule(
      'idp-user.entitlements-later',
      'enroll, token and migration need `idp.identity`; reading, changing and deleting do not.',
    ),
  ],
};

/** Protection against guessing. */
export const IDENTITY_LOCKS: Section = {
  title: 'Identity: locks',
  rules: [
    rule(
      'idp-locks.waits',
      'The wait is 15 min after the first refused verification and 24 h after the second; the third is the last attempt.',
    ),
    rule('idp-locks.answer', 'The refused call answers with the lock that it caused.'),
    rule('idp-locks.before-profile', 'Attempts count before there is a profile, and a refused create stores none.'),
    rule('idp-locks.calls', 'create, enroll, token, and a change of ssn, dob or address are verified and counted.'),
    rule('idp-locks.during-wait', 'A call during the wait is refused and not counted.'),
    rule('idp-locks.one-wait', 'One wait applies to all of these calls.'),
    rule(
      'idp-locks.not-counted',
      'A change of e-mail or phone and a migration verify nothing, and are allowed during a wait.',
    ),
    rule('idp-locks.success-resets', 'A success resets the count.'),
    rule('idp-locks.delete-resets', 'A delete by support resets everything.'),
    rule(
      'idp-locks.own-delete',
      "The user's own delete keeps the count until the wait is over, or for 30 days when no attempt is left.",
    ),
    rule('idp-locks.vendor-fails', 'A failure of the vendor counts no attempt.'),
    rule('idp-locks.at-once', 'Concurrent calls of one user count as one attempt.'),
    rule(
      'idp-locks.configured',
      'Waits, the maximum age of a second factor and the lifetime of a user token are configurable.',
    ),
  ],
};

/** Enrollments of users, and their reasons. */
export const IDENTITY_ENROLLMENTS: Section = {
  title: 'Identity: enrollments and subscriptions',
  rules: [
    rule(
      'idp-enrollments.enroll',
      'Enroll answers `{"enrollments":[{"code","active","activatedAt"}]}`, including inactive ones.',
    ),
    rule('idp-enrollments.rest-follows', 'Missing enrollments follow without another call.'),
    rule(
      'idp-enrollments.reasons',
      'A lost entitlement gives the reason `entitlement_lost`, a regained one `enrolled`; each is published as `enrollment.changed`.',
    ),
    rule(
      'idp-enrollments.plan-change',
      'An entitlement lost by a plan change gives `plan_change`, when the change takes effect.',
    ),
    rule('idp-enrollments.user-deleted', 'A delete gives the reason `user_deleted`.'),
    rule('idp-vendor.return', 'Pending changes reach the vendor within 30 s of its return.'),
    rule(
      'idp-vendor.histories',
      'Under any sequence of requests, events, faults and kills, the vendor ends up with exactly the wanted state.',
    ),
    rule(
      'idp-vendor.late',
      'A timed-out call that the vendor carries out later leaves no user and no outdated data there.',
    ),
    rule('idp-payments.sync', 'Events of a subscription with a known user reach idp-api as `enrollment.sync`.'),
    rule('idp-payments.entitles', 'A purchase entitles the user whom it names.'),
    rule('idp-payments.captured', 'Only a captured payment entitles.'),
    rule('idp-payments.pending-after-captured', '`pending` or `failed` after `captured` changes nothing.'),
    rule('idp-payments.unknown-entitlements', 'Unknown entitlements are ignored.'),
    rule('idp-payments.several', 'The entitlements of several live subscriptions add up.'),
    rule(
      'idp-payments.ends',
      'The end of a subscription takes effect at the event’s `effectiveAt`, or, without one, at the time of the event.',
    ),
    rule('idp-payments.again', 'A subscription that is bought or renewed again is live again.'),
    rule('idp-payments.renewed', '`renewed` without `entitlements` keeps them.'),
    rule('idp-payments.older', 'An older timestamp never overwrites newer state.'),
    rule(
      'idp-payments.equal-timestamps',
      'At equal timestamps an end wins over a start; otherwise the later arrival wins.',
    ),
    rule(
      'idp-payments.forgotten',
      'A subscription is deleted 13 months after its end and its last event, and never while it is live.',
    ),
    rule('idp-payments.plan-change', 'A change of the plan takes effect at its `effectiveAt`.'),
    rule(
      'idp-payments.plan-change-unknown',
      'A plan change of an unknown subscription is kept until the purchase arrives.',
    ),
    rule(
      'idp-payments.plan-change-older',
      'A plan change older than the state it would change is ignored; of several future ones the newest counts.',
    ),
    rule('idp-payments.plan-change-ended', 'A plan change of an ended subscription is ignored.'),
    rule('idp-payments.without-krn', 'Without a KRN the subscription identifies the user, if it is known.'),
  ],
};
