import { rule, type Section } from './rule';

/** Who may act as support, and how errors look. */
export const SUPPORT_AUTHENTICATION: Section = {
  title: 'Support: tokens and errors',
  rules: [
    rule(
      'support-auth.unauthorized',
      'No token, a bad one, or one of another family is 401 `{"error":"…"}` with `WWW-Authenticate: Bearer`; a receipt is no token.',
    ),
    rule('support-auth.scope', 'A service token without the scope `support` is 403 `{"error":"…"}`.'),
    rule('support-auth.order', 'Both are decided before the body is read.'),
    rule('support-errors.krn', 'A `user_id` that is no KRN is 400 `{"error":"…"}`.'),
    rule(
      'support-errors.unknown-user',
      'A user without a profile is 404 `{"error":"…"}`, but for GET, unlock and, by `support-delete.attempts`, DELETE; of whom nothing is known, for each operation.',
    ),
    rule('support-errors.not-found', 'An unknown path is 404, a method that a path lacks 405 with `Allow`.'),
    rule(
      'support-errors.body',
      'No JSON by its type: 415; more than 64 KiB: 413; broken JSON: 400; a body where none is taken is ignored.',
    ),
    rule('support-errors.private', 'Errors name fields, never what they say.'),
  ],
};

/** The five operations. */
export const SUPPORT_OPERATIONS: Section = {
  title: 'Support: operations',
  rules: [
    rule(
      'support-get.fields',
      'GET tells `array_user_details`, `enrollments` with `status_history`, and the client profile; never ssn or address.',
    ),
    rule(
      'support-patch.answer',
      'PATCH takes the fields of the client PATCH, and answers `{"array_user_details":{…}}`.',
    ),
    rule('support-patch.ssn', 'PATCH needs `ssn`; all fields that are wrong are named.'),
    rule('support-patch.lock', 'A PATCH that the vendor confirms ends a lock: the user has all attempts again.'),
    rule('support-patch.refused', 'While the vendor refuses the identity it is 400; data and lock stay as they were.'),
    rule('support-patch.vendor', 'A failure of the vendor is 502, a time-out 504; nothing is changed.'),
    rule(
      'support-get.no-profile',
      'A user without a profile, of whom there is a subscription or a refused verification, has `array_user_details` null, and its counters.',
    ),
    rule(
      'support-unlock.counters',
      '`POST …/unlock` answers 204: no refusal is counted any more and no wait is left, with a profile or without.',
    ),
    rule('support-delete.answer', 'DELETE answers `{"deleted":true}`.'),
    rule('support-delete.erases', 'DELETE erases the user here and at the vendor, receipts included.'),
    rule(
      'support-delete.attempts',
      'DELETE also ends the lock of a user whose creates were refused and who has no profile; with neither it is 404.',
    ),
    rule(
      'support-enroll.receipt',
      'enroll takes `srts`, enrolls in what they bring, and answers items of the form of GET.',
    ),
    rule('support-enroll.none', '`srts` may be left out, null or empty.'),
    rule(
      'support-enroll.bad-receipt',
      'Signature, `typ`, issuer, audience, expiry, subject and claims of each SRT are checked; a bad one refuses all with 400.',
    ),
    rule(
      'support-enroll.entitlements',
      'A user left without `idp.identity` is 400 `entitlements required`; nothing is kept.',
    ),
    rule(
      'support-enroll.lasts',
      'What an SRT brought lasts until an end of its subscription, whatever the plan changes to.',
    ),
    rule('support-enroll.order', 'It comes to the same in whatever order receipts and payments events arrive.'),
    rule('support-enroll.owner', 'A receipt takes nothing from the user whose subscription billing says it is.'),
    rule('support-enroll.locked', 'A locked user is not enrolled.'),
    rule(
      'support-sync.accepted',
      'enrollment-sync is 202 `{"accepted":true,"eventId"}` and publishes `enrollment.sync` with that id.',
    ),
    rule('support-sync.carried-out', 'idp-api carries it out: what the vendor lost is enrolled again.'),
    rule('support-sync.durable', 'What was accepted is published, also when the process dies right after the answer.'),
  ],
};

/** The audit trail. */
export const SUPPORT_AUDIT: Section = {
  title: 'Support: audit trail',
  rules: [
    rule(
      'support-audit.entry',
      'Each act, reads included, leaves an entry: who, what, when, why, request id, outcome.',
    ),
    rule('support-audit.first', 'No act happens without its entry, which is written before it.'),
    rule('support-audit.killed', 'An act during which the process died has an entry that says `started`.'),
    rule('support-audit.private', 'Entries name the changed fields; they hold no personal data.'),
    rule('support-audit.reason', '`X-Support-Reason` says why, in at most 500 characters.'),
    rule('support-audit.list', 'Entries are listed by user and by actor, newest first, in pages.'),
  ],
};
