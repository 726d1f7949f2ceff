import { rule, type Section } from './rule';

/** Support's authentication, and the form of errors. */
export const SUPPORT_AUTHENTICATION: Section = {
  title: 'Support: tokens and errors',
  rules: [
    rule(
      'support-auth.unauthorized',
      'A missing or invalid token, or a token that is not from the service issuer, gets 401 `{"error":"…"}` with `WWW-Authenticate: Bearer`. A receipt is not accepted as a token.',
    ),
    rule('support-auth.scope', 'A service token without the scope `support` gets 403 `{"error":"…"}`.'),
    rule('support-auth.order', 'Token and scope are checked before the body is read.'),
    rule('support-errors.krn', 'A `user_id` that is not a KRN gets 400 `{"error":"…"}`.'),
    rule(
      'support-errors.unknown-user',
      'For a user without a profile, PATCH, enroll and enrollment-sync get 404 `{"error":"…"}`. GET and unlock get 404 only if nothing is known about the user; `support-delete.attempts` says when DELETE gets 404.',
    ),
    rule('support-errors.not-found', 'An unknown path gets 404; an unsupported method gets 405 with `Allow`.'),
    rule(
      'support-errors.body',
      'A content type other than JSON gets 415, a body of more than 64 KiB gets 413, and broken JSON gets 400. An operation that takes no body ignores the body of a request.',
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
      '`POST /idp/support/users/search` finds at most 10 users by KRN, subscription, e-mail address or phone number. It finds an e-mail address or phone number in any spelling.',
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
      '`rotate-keys.js` adds the search hashes to profiles that were stored without them, so that a search finds these profiles.',
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
    rule(
      'support-patch.lock',
      'If the vendor confirms the identity, a PATCH ends a verification lockout, and restores all attempts.',
    ),
    rule(
      'support-patch.refused',
      'When the vendor refuses the identity, a PATCH gets 400; neither the data nor the lock changes.',
    ),
    rule(
      'support-patch.vendor',
      'A PATCH gets 502 when the vendor fails, and 504 when the vendor times out; nothing is changed.',
    ),
    rule(
      'support-get.no-profile',
      'For a user without a profile, but with a subscription or a refused verification, GET returns null as `array_user_details`, and the user’s counts of attempts.',
    ),
    rule(
      'support-unlock.counters',
      '`POST …/unlock` answers 204, resets the count of refusals and ends the wait, with or without a profile.',
    ),
    rule('support-delete.answer', 'DELETE answers `{"deleted":true}`.'),
    rule(
      'support-delete.receipt',
      '`GET …/{user_id}/erasures` lists the erasures by support, even after the delete: time, actor, reason, request id and outcome.',
    ),
    rule(
      'support-delete.lost',
      'If a DELETE erased the user but its answer was lost, the first repeat gets 200 and is listed as the successful erasure; any further repeat gets 404.',
    ),
    rule('support-delete.erases', 'DELETE erases the user on this platform and at the vendor, including receipts.'),
    rule(
      'support-delete.attempts',
      'DELETE also ends the lock of a user without a profile. For a user with neither a profile nor counted refusals, DELETE gets 404.',
    ),
    rule(
      'support-enroll.receipt',
      'enroll accepts `srts`, enrolls the user according to the entitlements of these SRTs, and answers items in the form of GET.',
    ),
    rule('support-enroll.none', '`srts` may be absent, null or empty.'),
    rule(
      'support-enroll.bad-receipt',
      'Signature, `typ`, issuer, audience, expiry, subject and claims of each SRT are checked. If one SRT is invalid, the request gets 400, and no SRT is used.',
    ),
    rule(
      'support-enroll.entitlements',
      'If the user lacks `idp.identity` even with the entitlements of the SRTs, the answer is 400 `entitlements required`, and nothing is stored.',
    ),
    rule(
      'support-enroll.lasts',
      'The entitlements of an SRT last until its subscription ends or the user’s profile is deleted, even after plan changes.',
    ),
    rule(
      'support-enroll.order',
      'The result does not depend on the order in which receipts and payment events arrive.',
    ),
    rule(
      'support-enroll.owner',
      'If billing assigned the subscription of a receipt to another user, that other user keeps the entitlements when support enrolls a user by this receipt.',
    ),
    rule('support-enroll.locked', 'A locked user is not enrolled.'),
    rule(
      'support-sync.accepted',
      'enrollment-sync answers 202 `{"accepted":true,"eventId"}` and publishes `enrollment.sync` with this id.',
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
    rule(
      'support-audit.killed',
      'If the process dies during an action, the entry of this action keeps the outcome `started`.',
    ),
    rule('support-audit.private', 'Entries name the changed fields, but contain no personal data.'),
    rule('support-audit.reason', '`X-Support-Reason` gives the reason, in at most 500 characters.'),
    rule(
      'support-audit.of-user',
      '`GET …/{user_id}/audit` lists the actions of support on a user, newest first, in pages.',
    ),
    rule(
      'support-audit.list',
      '`GET /idp/support/audit` lists the actions of support, filtered by actor, action and time, newest first, in pages.',
    ),
    rule(
      'support-audit.read',
      'Reading the audit trail adds an entry too, which the page in the answer does not show.',
    ),
  ],
};
