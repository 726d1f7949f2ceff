import { rule, type Section } from './rule';

/** Support's authentication, and the form of errors. */
export const SUPPORT_AUTHENTICATION: Section = {
  title: 'Support: tokens and errors',
  rules: [
    rule(
      'support-auth.unauthorized',
      'A missing or invalid token, or one of another family, is 401 `{"error":"…"}` with `WWW-Authenticate: Bearer`; a receipt is not a token.',
    ),
    rule('support-auth.scope', 'A service token without the scope `support` is 403 `{"error":"…"}`.'),
    rule('support-auth.order', 'Token and scope are checked before the body is read.'),
    rule('support-errors.krn', 'A `user_id` that is not a KRN is 400 `{"error":"…"}`.'),
    rule(
      'support-errors.unknown-user',
      'A user without a profile is 404 `{"error":"…"}`, except for GET, unlock and, by `support-delete.attempts`, DELETE; a user without any data is 404 for each operation.',
    ),
    rule('support-errors.not-found', 'An unknown path is 404; an unsupported method is 405 with `Allow`.'),
    rule(
      'support-errors.body',
      'A content type other than JSON is 415, a body of more than 64 KiB 413, broken JSON 400. An operation that takes no body ignores it.',
    ),
    rule('support-errors.private', 'Errors name fields, never their values.'),
  ],
};

/** The operations of support. */
export const SUPPORT_OPERATIONS: Section = {
  title: 'Support: operations',
  rules: [
    rule(
      'support-search.keys',
      '`POST /idp/support/users/search` finds at most 10 users by KRN, e-mail address, phone number or subscription, in any spelling.',
    ),
    rule('support-search.one-key', 'A search without exactly one key gets 400, and leaves no audit entry.'),
    rule(
      'support-search.follows',
      'A search matches the current data of profiles, and no longer finds a deleted user.',
    ),
    rule(
      'support-search.private',
      'A search decrypts nothing. Its audit entry has the kind of key and the number of users found, never the value.',
    ),
    rule(
      'support-search.backfill',
      '`rotate-keys.js` adds the hashes to profiles that were stored without them, so that a search finds them.',
    ),
    rule(
      'support-get.fields',
      'GET returns `array_user_details`, `enrollments` with `status_history`, and the profile of the client API, but never ssn or address.',
    ),
    rule(
      'support-get.story',
      '`GET …/{user_id}/story` reports why a user is locked, is not enrolled or sees no alerts, even for an unknown user.',
    ),
    rule(
      'support-patch.answer',
      'PATCH accepts the fields of the client PATCH, and answers `{"array_user_details":{…}}`.',
    ),
    rule('support-patch.ssn', 'PATCH requires `ssn`; all invalid fields are named.'),
    rule('support-patch.lock', 'A PATCH that the vendor confirms ends a lock, and restores all attempts.'),
    rule('support-patch.refused', 'When the vendor refuses the identity, a PATCH is 400; data and lock do not change.'),
    rule('support-patch.vendor', 'A failure of the vendor is 502, a timeout 504; nothing is changed.'),
    rule(
      'support-get.no-profile',
      'A user without a profile but with a subscription or a refused verification has `array_user_details` null, and its counters.',
    ),
    rule(
      'support-unlock.counters',
      '`POST …/unlock` answers 204, resets the count of refusals and ends the wait, with or without a profile.',
    ),
    rule('support-delete.answer', 'DELETE answers `{"deleted":true}`.'),
    rule(
      'support-delete.receipt',
      '`GET …/{user_id}/erasures` lists the erasures by support: time, actor, reason, request id and outcome, even after the delete.',
    ),
    rule(
      'support-delete.lost',
      'If a DELETE that got no answer erased the user, the first repeat is 200 and becomes the receipt, and a further repeat is 404. A user who had no data is 404.',
    ),
    rule('support-delete.erases', 'DELETE erases the user on this platform and at the vendor, including receipts.'),
    rule(
      'support-delete.attempts',
      'DELETE also ends the lock of a user without a profile whose creates were refused. A user with neither a profile nor refused creates is 404.',
    ),
    rule(
      'support-enroll.receipt',
      'enroll accepts `srts`, enrolls the user in their entitlements, and answers items in the form of GET.',
    ),
    rule('support-enroll.none', '`srts` may be absent, null or empty.'),
    rule(
      'support-enroll.bad-receipt',
      'Signature, `typ`, issuer, audience, expiry, subject and claims of each SRT are checked; one invalid SRT refuses all with 400.',
    ),
    rule(
      'support-enroll.entitlements',
      'If the user would still lack `idp.identity` with the entitlements of the SRTs, the answer is 400 `entitlements required`, and nothing is stored.',
    ),
    rule(
      'support-enroll.lasts',
      'The entitlements of an SRT last until its subscription ends or the profile is deleted, even after plan changes.',
    ),
    rule(
      'support-enroll.order',
      'The result does not depend on the order in which receipts and payment events arrive.',
    ),
    rule(
      'support-enroll.owner',
      'If billing assigned the subscription to another user, that user keeps the entitlements when support enrolls this user by the receipt.',
    ),
    rule('support-enroll.locked', 'A locked user is not enrolled.'),
    rule(
      'support-sync.accepted',
      'enrollment-sync is 202 `{"accepted":true,"eventId"}` and publishes `enrollment.sync` with that id.',
    ),
    rule('support-sync.carried-out', 'idp-api carries out a sync: enrollments that the vendor lost are created again.'),
    rule('support-sync.durable', 'An accepted sync is published even when the process dies right after the answer.'),
  ],
};

/** The audit trail of support's actions. */
export const SUPPORT_AUDIT: Section = {
  title: 'Support: audit trail',
  rules: [
    rule(
      'support-audit.entry',
      'Each action, including reads, adds an entry: actor, action, time, reason, request id, outcome.',
    ),
    rule('support-audit.first', 'The entry of an action is written before the action.'),
    rule('support-audit.killed', 'An action during which the process died keeps the outcome `started`.'),
    rule('support-audit.private', 'Entries name the changed fields; they hold no personal data.'),
    rule('support-audit.reason', '`X-Support-Reason` gives the reason, in at most 500 characters.'),
    rule(
      'support-audit.of-user',
      '`GET …/{user_id}/audit` lists the actions of support on a user, newest first, in pages.',
    ),
    rule(
      'support-audit.list',
      '`GET /idp/support/audit` lists the actions of support, filtered by actor, action and time, newest first, in pages.',
    ),
    rule('support-audit.read', 'Reading the trail adds an entry too, which the page in the answer does not show.'),
  ],
};
