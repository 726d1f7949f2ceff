import { rule, type Section } from './rule';

const partners = (title: string): string => `manage-partners.int.spec.ts › the admin API › ${title}`;
const limits = (title: string): string =>
  `manage-endpoint-limits.int.spec.ts › PATCH /admin/partners/{id} with endpointLimits › ${title}`;
const sending = (title: string): string =>
  `endpoint-limits.int.spec.ts › PUT /internal/partners/{id}/endpoint-limits › ${title}`;
const tokens = (title: string): string => `manage-tokens.int.spec.ts › the admin API › tokens › ${title}`;
const promotions = (title: string): string => `manage-promotions.int.spec.ts › the admin API › promotions › ${title}`;
const postbacks = (title: string): string =>
  `manage-postbacks.int.spec.ts › a partner's postbacks, for managers › ${title}`;
const endpoint = (title: string): string =>
  `enable-endpoint.int.spec.ts › the endpoint of a partner, for a manager › ${title}`;
const why = (title: string): string => `why.int.spec.ts › npm run partner -- why › ${title}`;

/** What the partner manager does. */
export const ADMIN: Section = {
  title: 'The partner manager',
  rules: [
    rule(
      'admin.access',
      '`/admin/**` takes a bearer token of the service issuer with the scope `partner:manage`, and no partner token.',
      partners('access › is for service tokens with partner:manage'),
      partners('access › %s %s answers 401 without a token, and to a partner token'),
    ),
    rule(
      'admin.lists',
      'Errors are problem+json; lists are read by cursor, newest first.',
      partners('lists › go through all rows, newest first, page by page'),
      partners('lists › refuse a cursor of another list, and one that is not ours'),
      partners('lists › refuse the limit %p'),
    ),
    rule(
      'admin.partners',
      '`GET|POST /admin/partners`.',
      partners('partners › are created with the defaults, and read again'),
      partners('partners › refuse %j'),
      limits('POST /admin/partners › takes the limit as PATCH does, and tells of it in the audit'),
      limits('POST /admin/partners › answers 422 to %j'),
      limits('POST /admin/partners › answers 503 and creates nothing when postback-dispatcher fails'),
    ),
    rule(
      'admin.partner-change',
      '`PATCH /admin/partners/{id}`: active, contact, revoke window.',
      partners('partners › change by the fields that are given, with an audit row that tells before and after'),
      partners('partners › keep their contact encrypted, and masked in the audit'),
    ),
    rule(
      'admin.endpoint-limits',
      '`PATCH /admin/partners/{id}` changes the partner’s endpoint limits: how many requests each endpoint gets at a time.',
      limits('sets the limit with everything else, with audit rows that tell before and after'),
      limits('goes back to the default with null, and stays when it is left out'),
      limits('asks again when it is repeated, since an act before may have been broken off'),
      limits('answers 422 to a concurrency of %p'),
      limits('answers 503 and changes nothing when postback-dispatcher %s, and can be repeated'),
      sending('holds for endpoints that are configured later, live and test'),
      sending('lowered to 1 lets no second request start beside one'),
      sending('set to null gives the default of the platform back'),
      sending('does not enable a disabled endpoint'),
    ),
    rule(
      'admin.token-issue',
      '`POST /admin/partners/{id}/tokens`: scopes, environment, expiresAt.',
      tokens('are shown once, and kept as a hash'),
      tokens('have all scopes of a %s partner when none are given'),
      tokens('name each scope that the kind of the partner does not have, and leave no row'),
      tokens('refuse %j'),
    ),
    rule(
      'admin.token-rotate',
      '`POST /admin/tokens/{id}/rotate`: overlapSeconds.',
      tokens('are rotated: both work in the overlap, then only the new one'),
      tokens('refuse an overlap of %p'),
    ),
    rule(
      'admin.token-revoke',
      '`DELETE /admin/tokens/{id}`.',
      tokens('end at once when revoked, and a repeat changes nothing'),
    ),
    rule(
      'admin.promotions',
      '`GET|POST /admin/partners/{id}/promotions`: one active dedicated discount for a partner.',
      promotions('are one at a time: a new one takes the place of the one before'),
      promotions('stay one when many are created at once'),
      promotions('have a code of their own, and one that is taken changes nothing'),
      promotions('are not for voucher partners'),
    ),
    rule(
      'admin.voucher-groups',
      '`GET|POST /admin/partners/{id}/voucher-groups`.',
      'manage-voucher-groups.int.spec.ts › * › creates a group with what was left out, and leaves audit rows before and after',
      'manage-voucher-groups.int.spec.ts › * › answers 422 to %j, without asking and without an act',
      'manage-voucher-groups.int.spec.ts › * › is for managers only',
      'manage-voucher-groups.int.spec.ts › * › lists all groups of a partner by pages, whose cursors are bound to it',
      'voucher-groups.int.spec.ts › voucher groups › are made as they were wanted',
    ),
    rule(
      'admin.voucher-group-change',
      '`PATCH /admin/voucher-groups/{id}`: status, stock.',
      'manage-voucher-groups.int.spec.ts › * › PATCH /admin/voucher-groups/{id} › changes status and stock, and leaves audit rows before and after',
      'manage-voucher-groups.int.spec.ts › * › PATCH /admin/voucher-groups/{id} › answers 422 to %j',
      'manage-voucher-groups.int.spec.ts › * › PATCH /admin/voucher-groups/{id} › relays what voucher-service refuses',
      'manage-voucher-groups.int.spec.ts › * › PATCH /admin/voucher-groups/{id} › answers 404 to an id of another form, without asking',
    ),
    rule(
      'admin.sales',
      '`GET /admin/sales?status=&partnerId=&oid=&refId=` lists sales; `status=held` those that wait for a decision.',
      'review-sales.int.spec.ts › held sales › are listed by their status',
      'review-sales.int.spec.ts › held sales › are found by their partner, subscription and reference',
      'review-sales.int.spec.ts › held sales › come page by page with every filter, and refuse the cursor of another',
      "review-sales.int.spec.ts › held sales › show a purchase that is no partner's sale, with the reason, when its subscription or status is asked for",
    ),
    rule(
      'admin.release',
      '`POST /admin/sales/{oid}/release`: the sale qualifies, once, and its postback is sent then.',
      'review-sales.int.spec.ts › held sales › qualify when released, once, and can then be revoked',
      'review-sales.int.spec.ts › held sales › cannot be released after a refund',
      'review-sales.int.spec.ts › held sales › cannot be decided when they are not held or not known',
    ),
    rule(
      'admin.refuse',
      '`POST /admin/sales/{oid}/refuse`: the sale has failed for good.',
      'review-sales.int.spec.ts › held sales › fail for good when refused, also when a capture comes again',
    ),
    rule(
      'admin.postback-status',
      '`GET /admin/partners/{id}/postback` tells the state of the endpoint, never the key.',
      postbacks('%s /admin/partners/{id}%s › answers ${status} for live, or for the environment that is given'),
      postbacks('%s /admin/partners/{id}%s › is for managers only'),
      endpoint('is read without its key, and with the time until which it is paused'),
    ),
    rule(
      'admin.postback-enable',
      '`POST /admin/partners/{id}/postback/enable` enables a disabled endpoint, as an audited act.',
      postbacks('are enabled with audit rows that tell before and after'),
      endpoint('is enabled again with the key it had, ends its pause, and gets the next sale'),
      endpoint('stays as it is when it is enabled already'),
    ),
    rule(
      'admin.deliveries',
      '`GET /admin/partners/{id}/deliveries?status=&oid=&refId=` lists deliveries as the partner sees them.',
      postbacks('are listed with the filters of the partner'),
      postbacks('%s /admin/partners/{id}%s › answers 503 when postback-dispatcher is away'),
    ),
    rule(
      'admin.delivery-replay',
      '`POST /admin/partners/{id}/deliveries/{id}/replay` sends a delivery again, as an audited act.',
      postbacks('are replayed with audit rows, and one that got no answer has only the first'),
      postbacks('are not replayed by an id of another form: no call, no audit row'),
    ),
    rule(
      'admin.unknown-parameters',
      'An unknown query parameter of a list is 422.',
      postbacks('%s answers 422 to a parameter that it does not know'),
      postbacks('%s /admin/partners/{id}%s › answers 422 to ?%s, without asking'),
      'review-sales.int.spec.ts › held sales › are not listed with ?%s',
    ),
    rule(
      'admin.why',
      '`npm run partner -- why <oid|ref_id>` tells what became of a sale and its postback, and what to do next.',
      why('tells the whole story to people: payment, attribution, review, delivery, attempts, endpoint'),
      why('says that a postback came, and how to send it again'),
      why('says that the first attempt is waited for'),
      why('says with what an endpoint fails, and until when it is paused'),
      why('says that the endpoint is disabled when the delivery is %s'),
      why('says that a sale is held for fraud, and how to decide'),
      why('says that a sale was refused'),
      why('says why a purchase is no partner’s sale: a bad token, an expired one, an unknown code'),
      why('says whose sale it is when the code is another partner’s'),
      why('says that a sale was refunded before its purchase arrived, and before the purchase is known'),
      why('says that an oid is unknown'),
      why('finds the dead letter of a payment, and how to replay it'),
    ),
    rule(
      'admin.audit-list',
      '`GET /admin/audit` lists what was done, newest first.',
      partners('lists › of the audit show who did what'),
    ),
    rule(
      'admin.audit-row',
      'Every act leaves an audit row: who, what, before and after with secrets masked, request id.',
      partners('partners › change by the fields that are given, with an audit row that tells before and after'),
      partners('partners › keep their contact encrypted, and masked in the audit'),
      tokens('end at once when revoked, and a repeat changes nothing'),
      'review-sales.int.spec.ts › held sales › qualify when released, once, and can then be revoked',
    ),
    rule(
      'admin.cli',
      'A CLI over the admin API does the same: `npm run partner`.',
      'commands.test.mjs › npm run partner › sends what it was told',
      'commands.test.mjs › npm run partner › prints a list as a table, without empty columns',
      'commands.test.mjs › npm run partner › says what is missing or refused, and fails',
    ),
  ],
};
