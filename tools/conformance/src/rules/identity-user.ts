import { rule, type Section } from './rule';

/** Tokens, the second factor, and general errors of the client API of identity protection. */
export const IDENTITY_AUTHENTICATION: Section = {
  title: 'Identity: tokens, second factor, errors',
  rules: [
    rule(
      'idp-auth.unauthorized',
      'A missing or invalid token gets 401 `{"error":"…"}` with `WWW-Authenticate: Bearer`.',
    ),
    rule('idp-auth.claims', '`iss`, `aud`, `exp`, `nbf` and `sub` are checked.'),
    rule('idp-auth.signature', 'Only asymmetric signatures by the issuer’s published keys are accepted.'),
    rule('idp-auth.skew', 'The clocks of issuer and app may differ by 60 s.'),
    rule('idp-auth.krn', 'A token whose `sub` is not a user’s KRN gets 401.'),
    rule(
      'idp-auth.families',
      'A service access token and an OpenID access token with the same KRN give access to the same user.',
    ),
    rule(
      'idp-auth.rotation',
      'A new signing key works without a restart; unknown keys do not cause a flood of requests to the issuer.',
    ),
    rule(
      'idp-auth.second-factor',
      'If an operation needs a second factor and the token has none, the answer is `TwoFactorAuthRequired` with the challenge of RFC 9470.',
    ),
    rule(
      'idp-auth.second-factor-claims',
      'A token has a second factor when `amr` has `mfa` or `acr` is `mfa`, and `auth_time` is at most 60 minutes ago.',
    ),
    rule('idp-auth.plain', 'Reading the profile needs no second factor.'),
    rule('idp-auth.order', 'The second factor is checked before the body is read.'),
    rule(
      'idp-limits.onboarding',
      'Create, enroll and token requests are each limited to 10 requests per minute and user.',
    ),
    rule('idp-errors.not-found', 'An unknown path gets 404 `{"error":"…"}`.'),
    rule('idp-errors.method', 'An unsupported method gets 405 `{"error":"…"}` with `Allow`.'),
  ],
};

/** Request bodies of the profile. */
export const IDENTITY_INPUT: Section = {
  title: 'Identity: bodies',
  rules: [
    rule('idp-input.fields', '`InputValidationFailure` names exactly the invalid paths, such as `address.zip`.'),
    rule('idp-input.all-fields', '`InputValidationFailure` names all of the invalid paths.'),
    rule(
      'idp-input.required',
      'A create requires `firstName`, `lastName`, `dob`, `emailAddress` and `address`; null counts as absent.',
    ),
    rule(
      'idp-input.limits',
      'A name has 1–64 characters, an age is 18–120 years, an e-mail address has at most 254 characters, a phone number has 10–15 digits, and an ssn has 4 or 9 digits. Unknown fields are ignored.',
    ),
    rule(
      'idp-input.change',
      'The fields of a change follow the same rules as those of a create, and an `address` must be complete.',
    ),
    rule('idp-input.empty-change', 'A change without any field gets an `InputValidationFailure` that names `body`.'),
    rule('idp-input.version', 'A `version` other than 0 or 1 is invalid.'),
    rule(
      'idp-input.migration-body',
      'A migration without a body gets an `InputValidationFailure` that names `body`; the body `{}` means version 0.',
    ),
    rule(
      'idp-input.broken',
      'Broken JSON, or a body that is not an object, gets an `InputValidationFailure` that names `body`.',
    ),
    rule('idp-input.type', 'A body with a content type other than JSON gets 415.'),
    rule('idp-input.size', 'A body above 64 KiB gets 413.'),
    rule('idp-input.ignored', 'An operation that takes no body ignores the body of a request.'),
  ],
};

/** The profile and its operations. */
export const IDENTITY_USER: Section = {
  title: 'Identity: profile',
  rules: [
    rule('idp-user.create', 'A create answers 200 `{"userToken","expirationDate"}`.'),
    rule('idp-user.token-life', 'A `userToken` is valid for 900 s; `expirationDate` is in Unix seconds.'),
    rule('idp-user.create-once', 'Concurrent creates of one user create one profile, and one user at the vendor.'),
    rule('idp-user.already-exists', 'A second create gets `UserAlreadyExists`.'),
    rule('idp-user.entitlements', 'A create by a user without `idp.identity` gets `EntitlementsRequired`.'),
    rule(
      'idp-user.create-vendor-fails',
      'When the vendor fails to create or to verify the user, a create answers 502 or 504 and stores no profile.',
    ),
    rule(
      'idp-user.create-rest-follows',
      'When the vendor fails to issue a `userToken` or to enroll the user, a create still answers 200, and the enrollments follow later.',
    ),
    rule('idp-user.version-0', 'Version 0 enrolls in `IDENTITY_MONITORING, DATA_REMOVAL, CREDIT_SCORE`.'),
    rule('idp-user.version-1', 'Version 1 enrolls in the codes of version 0 and in four more.'),
    rule('idp-user.grants', 'A product code is granted when the version includes it and the user has its entitlement.'),
    rule(
      'idp-user.profile',
      'The profile status shows which data is stored, and how often a verification was refused.',
    ),
    rule(
      'idp-user.locked-until',
      'While the user must wait after a refused verification, and only then, the profile status has `lockedUntil`.',
    ),
    rule('idp-user.not-found', 'Without a profile, every operation except a create gets `UserNotFound`.'),
    rule('idp-user.trim', 'Texts are trimmed, and `state` is stored in capitals.'),
    rule('idp-user.encrypted', 'Personal data is encrypted at rest.'),
    rule('idp-user.private', 'Personal data is in no log, event, error or metric.'),
    rule(
      'idp-user.story',
      'The story of a user says why the user is locked, is not enrolled or sees no alerts, and what to do next, without personal data.',
    ),
    rule('idp-user.key-rotation', 'A command rotates the encryption keys while the app runs.'),
    rule('idp-user.patch', 'A change answers with the profile status.'),
    rule('idp-user.patch-no-entitlement', 'To change the profile, a user needs a profile, but no entitlement.'),
    rule('idp-user.patch-vendor-fails', 'A change has no effect while the vendor fails.'),
    rule('idp-user.vendor-status', 'A change gets 502 when the vendor fails, and 504 when the vendor times out.'),
    rule('idp-user.patch-refused', 'A change has no effect if the vendor does not confirm the identity.'),
    rule('idp-user.delete', 'A delete answers `{"arrayUserId","deleted":true}` and erases the stored data at once.'),
    rule(
      'idp-user.delete-vendor-fails',
      'While the vendor fails, a delete answers 200, and the user’s data at the vendor is removed later.',
    ),
    rule('idp-user.token', 'A `userToken` is issued to a user whose identity the vendor confirms.'),
    rule('idp-user.migration', 'A migration answers `{"version","enrollments"}`; 0→0, 0→1 and 1→1 are allowed.'),
    rule(
      'idp-user.migration-back',
      'A migration from version 1 to version 0 gets an `InputValidationFailure` that names `version`.',
    ),
    rule('idp-user.migration-default', 'In a migration, an omitted `version` means 0.'),
    rule(
      'idp-user.entitlements-later',
      'enroll, token and migration need `idp.identity`; reading, changing and deleting the profile do not.',
    ),
  ],
};

/** Protection against guessing a user's identity. */
export const IDENTITY_LOCKS: Section = {
  title: 'Identity: locks',
  rules: [
    rule(
      'idp-locks.waits',
      'The wait is 15 min after the first refused verification, and 24 h after the second. After the third, the user has no attempt left.',
    ),
    rule(
      'idp-locks.answer',
      'A request whose verification is refused gets the error of the lock that this refusal causes.',
    ),
    rule(
      'idp-locks.before-profile',
      'Refusals count even before there is a profile, and a refused create stores no profile.',
    ),
    rule(
      'idp-locks.calls',
      'create, enroll, token, and a change of ssn, dob or address verify the identity, and their refusals are counted.',
    ),
    rule('idp-locks.during-wait', 'During a wait, a request that verifies the identity is refused, and not counted.'),
    rule(
      'idp-locks.one-wait',
      'A wait applies to all requests that verify the identity, whichever of them was refused: create, enroll, token, and a change of ssn, dob or address.',
    ),
    rule(
      'idp-locks.not-counted',
      'A change of e-mail or phone and a migration do not verify the identity, and are allowed during a wait.',
    ),
    rule('idp-locks.success-resets', 'A successful verification resets the count of refusals.'),
    rule('idp-locks.delete-resets', 'A delete by support ends the lock, and resets the count of refusals.'),
    rule(
      'idp-locks.own-delete',
      'After the user’s own delete, the count of refusals is kept until the wait is over, or for 30 days when no attempt is left.',
    ),
    rule('idp-locks.vendor-fails', 'A failure of the vendor does not count as an attempt.'),
    rule('idp-locks.at-once', 'Concurrent requests of one user that verify the identity count as one attempt.'),
    rule(
      'idp-locks.configured',
      'Waits, the maximum age of a second factor and the lifetime of a user token are configurable.',
    ),
  ],
};

/** Enrollments of users, and the payment events that change them. */
export const IDENTITY_ENROLLMENTS: Section = {
  title: 'Identity: enrollments and subscriptions',
  rules: [
    rule(
      'idp-enrollments.enroll',
      'Enroll answers `{"enrollments":[{"code","active","activatedAt"}]}`, including the products that are inactive.',
    ),
    rule(
      'idp-enrollments.rest-follows',
      'If an enroll cannot activate all products immediately, the missing enrollments follow without another request.',
    ),
    rule(
      'idp-enrollments.reasons',
      'An enrollment that ends with a lost entitlement has the reason `entitlement_lost`; one that starts with a regained entitlement has the reason `enrolled`. Each change is published as `enrollment.changed`.',
    ),
    rule(
      'idp-enrollments.plan-change',
      'When a plan change takes effect, an enrollment that it ends, or that it adds for the first time, gets the reason `plan_change`.',
    ),
    rule('idp-enrollments.user-deleted', 'After a delete, the user’s enrollments have the reason `user_deleted`.'),
    rule('idp-vendor.return', 'Pending changes reach the vendor within 30 s after the vendor is available again.'),
    rule(
      'idp-vendor.histories',
      'Under any sequence of requests, events, faults and kills, the vendor ends up with exactly the wanted state.',
    ),
    rule(
      'idp-vendor.late',
      'If a call times out and the vendor carries it out later, the vendor still ends up without an unwanted user and without outdated data.',
    ),
    rule('idp-payments.sync', 'Events of a subscription whose user is known reach idp-api as `enrollment.sync`.'),
    rule('idp-payments.entitles', 'A purchase entitles the user that it names.'),
    rule('idp-payments.captured', 'Only a captured payment entitles a user.'),
    rule(
      'idp-payments.pending-after-captured',
      'A payment status `pending` or `failed` after `captured` changes nothing.',
    ),
    rule('idp-payments.unknown-entitlements', 'Unknown entitlements are ignored.'),
    rule('idp-payments.several', 'The entitlements of several live subscriptions add up.'),
    rule(
      'idp-payments.ends',
      'The end of a subscription takes effect at the event’s `effectiveAt`, or, without one, at the time of the event.',
    ),
    rule('idp-payments.again', 'A subscription that has ended is live again when it is bought or renewed again.'),
    rule('idp-payments.renewed', 'A `subscription.renewed` without `entitlements` keeps the previous entitlements.'),
    rule('idp-payments.older', 'An event with an older timestamp never overwrites newer state.'),
    rule(
      'idp-payments.equal-timestamps',
      'If two events have the same timestamp, an end takes precedence over a start; otherwise, the event that arrives later takes precedence.',
    ),
    rule(
      'idp-payments.forgotten',
      'A subscription is deleted 13 months after its end or its last event, whichever is later, but not while it is live or a user holds an SRT for it.',
    ),
    rule('idp-payments.plan-change', 'A change of the plan takes effect at its `effectiveAt`.'),
    rule(
      'idp-payments.plan-change-unknown',
      'A plan change of an unknown subscription is kept until the purchase arrives.',
    ),
    rule(
      'idp-payments.plan-change-older',
      'A plan change that is older than the state that it would change is ignored. Of several future plan changes, the newest counts.',
    ),
    rule('idp-payments.plan-change-ended', 'A plan change of an ended subscription is ignored.'),
    rule(
      'idp-payments.without-krn',
      'An event without a KRN identifies its user by the subscription, if the subscription is known.',
    ),
  ],
};
