import { rule, type Section } from './rule';

/** Who may call the client API of identity protection. */
export const IDENTITY_AUTHENTICATION: Section = {
  title: 'Identity: tokens, second factor, errors',
  rules: [
    rule('idp-auth.unauthorized', 'No token, or a bad one, is 401 `{"error":"…"}` with `WWW-Authenticate: Bearer`.'),
    rule('idp-auth.claims', '`iss`, `aud`, `exp`, `nbf` and `sub` are checked.'),
    rule('idp-auth.signature', 'Only asymmetric signatures of the issuer’s published keys count.'),
    rule('idp-auth.skew', 'Clocks may differ by 60 s.'),
    rule('idp-auth.krn', 'A `sub` that is no KRN of a user is 401.'),
    rule('idp-auth.families', 'Service access tokens and OpenID access tokens of one KRN see the same user.'),
    rule(
      'idp-auth.rotation',
      'A new signing key works without a restart; unknown keys do not make us hammer the issuer.',
    ),
    rule(
      'idp-auth.second-factor',
      'Operations with a second factor answer a plain token with `TwoFactorAuthRequired` and the challenge of RFC 9470.',
    ),
    rule(
      'idp-auth.second-factor-claims',
      'A second factor is `amr` with `mfa`, or `acr` `mfa`, and an `auth_time` of at most 60 minutes ago.',
    ),
    rule('idp-auth.plain', 'Reading the profile needs no second factor.'),
    rule('idp-auth.order', 'The second factor is looked at before the body.'),
    rule('idp-limits.onboarding', 'create, enroll and token: 10 requests a minute and user each.'),
    rule('idp-errors.not-found', 'An unknown path is 404 `{"error":"…"}`.'),
    rule('idp-errors.method', 'A method that a path lacks is 405 `{"error":"…"}` with `Allow`.'),
  ],
};

/** The bodies of the profile. */
export const IDENTITY_INPUT: Section = {
  title: 'Identity: bodies',
  rules: [
    rule('idp-input.fields', '`InputValidationFailure` names exactly the bad paths, as `address.zip`.'),
    rule('idp-input.all-fields', 'It names all of them.'),
    rule(
      'idp-input.required',
      'Names, `dob`, `emailAddress` and `address` are needed at a create; null counts as left out.',
    ),
    rule(
      'idp-input.limits',
      'Names 1–64, age 18–120, e-mail ≤ 254, phone 10–15 digits, ssn 4 or 9 digits; unknown fields are ignored.',
    ),
    rule('idp-input.change', 'A change has the same rules, and an `address` is whole.'),
    rule('idp-input.empty-change', 'A change without any field is an invalid `body`.'),
    rule('idp-input.version', 'A `version` other than 0 or 1 is invalid.'),
    rule('idp-input.migration-body', 'A migration without a body is an invalid `body`; `{}` is version 0.'),
    rule('idp-input.broken', 'Broken JSON, or a body that is no object, is an invalid `body`.'),
    rule('idp-input.type', 'A body that is no JSON by its type is 415.'),
    rule('idp-input.size', 'A body beyond 64 KiB is 413.'),
    rule('idp-input.ignored', 'A body where none is taken is ignored.'),
  ],
};

/** The profile and what happens to it. */
export const IDENTITY_USER: Section = {
  title: 'Identity: profile',
  rules: [
    rule('idp-user.create', 'A create answers 200 `{"userToken","expirationDate"}`.'),
    rule('idp-user.token-life', 'A token lives 900 s; `expirationDate` is in Unix seconds.'),
    rule('idp-user.create-once', 'Creates at once make one profile and one user at the vendor.'),
    rule('idp-user.already-exists', 'A second create is `UserAlreadyExists`.'),
    rule('idp-user.entitlements', 'A create without `idp.identity` is `EntitlementsRequired`.'),
    rule('idp-user.create-vendor-fails', 'A vendor that fails at `users` or `verify`: 502 or 504, and no profile.'),
    rule('idp-user.create-rest-follows', 'A vendor that fails at `token` or `enrollments`: 200, and the rest follows.'),
    rule('idp-user.version-0', 'Version 0 enrolls in `IDENTITY_MONITORING, DATA_REMOVAL, CREDIT_SCORE`.'),
    rule('idp-user.version-1', 'Version 1 enrolls in these and four more.'),
    rule('idp-user.grants', 'A code is granted when the version has it and the user holds its entitlement.'),
    rule('idp-user.profile', 'The profile status tells what is configured, and how often a verification was refused.'),
    rule('idp-user.locked-until', 'During a wait, and only then, the profile status has `lockedUntil`.'),
    rule('idp-user.not-found', 'Everything but a create is `UserNotFound` without a profile.'),
    rule('idp-user.trim', 'Texts are trimmed, and `state` is stored in capitals.'),
    rule('idp-user.encrypted', 'Personal data is encrypted at rest.'),
    rule('idp-user.private', 'It is in no log, event, error or metric.'),
    rule(
      'idp-user.why',
      '`npm run user -- why <krn>` tells why a user is locked, is not enrolled or sees no alerts, and what to do next; it shows no personal data.',
    ),
    rule('idp-user.key-rotation', 'Keys are rotated by command while the app runs.'),
    rule('idp-user.patch', 'A change answers with the profile status.'),
    rule('idp-user.patch-no-entitlement', 'It needs a profile, and no entitlement.'),
    rule('idp-user.patch-vendor-fails', 'While the vendor fails it changes nothing.'),
    rule('idp-user.vendor-status', 'A vendor that fails is 502, one that is late 504.'),
    rule('idp-user.patch-refused', 'A change whose identity is refused changes nothing.'),
    rule('idp-user.delete', 'A delete answers `{"arrayUserId","deleted":true}` and erases our data at once.'),
    rule('idp-user.delete-vendor-fails', 'While the vendor fails it is 200, and the removal there follows.'),
    rule('idp-user.token', 'A token is given to a user whom the vendor verifies.'),
    rule('idp-user.migration', 'A migration answers `{"version","enrollments"}`; 0→0, 0→1 and 1→1 are fine.'),
    rule('idp-user.migration-back', '1→0 is an invalid `version`.'),
    rule('idp-user.migration-default', 'A version that is left out is 0.'),
    rule(
      'idp-user.entitlements-later',
      'enroll, token and migration need `idp.identity`; reading, changing and deleting do not.',
    ),
  ],
};

/** What keeps a user from guessing. */
export const IDENTITY_LOCKS: Section = {
  title: 'Identity: locks',
  rules: [
    rule(
      'idp-locks.waits',
      'After the first refused verification 15 min, after the second 24 h, after the third none.',
    ),
    rule('idp-locks.answer', 'The refused call answers with the lock that it caused.'),
    rule('idp-locks.before-profile', 'Attempts count before there is a profile, and a refused create leaves none.'),
    rule('idp-locks.calls', 'create, enroll, token, and a change of ssn, dob or address are verified and counted.'),
    rule('idp-locks.during-wait', 'A call during the wait is refused uncounted.'),
    rule('idp-locks.one-wait', 'One wait holds for all of these calls.'),
    rule(
      'idp-locks.not-counted',
      'A change of e-mail or phone and a migration verify nothing, and no wait stops them.',
    ),
    rule('idp-locks.success-resets', 'A success resets the count.'),
    rule('idp-locks.delete-resets', 'A delete by support resets everything.'),
    rule(
      'idp-locks.own-delete',
      "The user's own delete keeps what was counted until the wait is over, without an attempt left for 30 days.",
    ),
    rule('idp-locks.vendor-fails', 'A vendor that fails counts no attempt.'),
    rule('idp-locks.at-once', 'Calls at once of one user are one attempt.'),
    rule('idp-locks.configured', 'Waits, the age of a second factor and the life of a user token are configuration.'),
  ],
};

/** What users are enrolled in, and why. */
export const IDENTITY_ENROLLMENTS: Section = {
  title: 'Identity: enrollments and subscriptions',
  rules: [
    rule(
      'idp-enrollments.enroll',
      'Enroll answers `{"enrollments":[{"code","active","activatedAt"}]}`, the inactive too.',
    ),
    rule('idp-enrollments.rest-follows', 'What is wanted beside what is active follows without another call.'),
    rule(
      'idp-enrollments.reasons',
      'Lost is `entitlement_lost`, regained `enrolled`, each published as `enrollment.changed`.',
    ),
    rule('idp-enrollments.plan-change', 'Lost by a change of the plan is `plan_change`, when it takes effect.'),
    rule('idp-enrollments.user-deleted', 'Ended by a delete is `user_deleted`.'),
    rule('idp-vendor.return', 'What is wanted follows within 30 s of the vendor’s return.'),
    rule(
      'idp-vendor.histories',
      'Whatever users, support, billing, the vendor, faults and kills do: in the end the vendor has what is wanted, and nothing else.',
    ),
    rule('idp-vendor.late', 'A call that the vendor acts on after we gave it up leaves no user and no old data there.'),
    rule('idp-payments.sync', 'Events of a subscription whose user can be known reach idp-api as `enrollment.sync`.'),
    rule('idp-payments.entitles', 'A purchase entitles the user that it names.'),
    rule('idp-payments.captured', 'Only a captured payment entitles.'),
    rule('idp-payments.pending-after-captured', '`pending` or `failed` after `captured` changes nothing.'),
    rule('idp-payments.unknown-entitlements', 'Unknown entitlements are ignored.'),
    rule('idp-payments.several', 'Those of several live subscriptions add up.'),
    rule('idp-payments.ends', 'An end takes effect at `effectiveAt`, or at its own time.'),
    rule('idp-payments.again', 'Bought or renewed again is live again.'),
    rule('idp-payments.renewed', '`renewed` without `entitlements` keeps them.'),
    rule('idp-payments.older', 'An older timestamp never overwrites newer state.'),
    rule('idp-payments.equal-timestamps', 'Of equal timestamps an end wins over a start, else the later arrival.'),
    rule(
      'idp-payments.forgotten',
      'A subscription is deleted 13 months after its end and its last event, and never while it is live.',
    ),
    rule('idp-payments.plan-change', 'A change of the plan takes effect at its `effectiveAt`.'),
    rule('idp-payments.plan-change-unknown', 'One of an unknown subscription is kept until the purchase arrives.'),
    rule(
      'idp-payments.plan-change-older',
      'One that is older than what it would change is ignored; of several to come the newest counts.',
    ),
    rule('idp-payments.plan-change-ended', 'One of an ended subscription is ignored.'),
    rule('idp-payments.without-krn', 'Without a KRN the subscription tells the user, when it is known.'),
  ],
};
