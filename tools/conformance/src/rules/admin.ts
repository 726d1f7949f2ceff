import { rule, type Section } from './rule';

/** What the partner manager does. */
export const ADMIN: Section = {
  title: 'The partner manager',
  rules: [
    rule(
      'admin.access',
      '`/admin/**` accepts a bearer token of the service issuer with the scope `partner:manage`, but no partner token.',
    ),
    rule('admin.lists', 'Errors of the manager API are problem+json. Its lists are read by cursor, newest first.'),
    rule('admin.partners', '`GET /admin/partners` lists partners, and `POST /admin/partners` creates one.'),
    rule(
      'admin.partner-search',
      '`GET /admin/partners?search=&kind=&active=` finds partners by name, id, promotion code or the end of a token.',
    ),
    rule(
      'admin.applications-sent',
      '`POST /api/v2/partner-applications` needs no token and answers 202 with an id. Until the application is decided, a further application from the same e-mail address gets the same id.',
    ),
    rule(
      'admin.applications-limits',
      'An application above the hourly limit of its IP address, or above the daily limit of all IP addresses, gets 429.',
    ),
    rule(
      'admin.applications-off',
      '`POST /api/v2/partner-applications` answers 404 while applications are turned off.',
    ),
    rule('admin.applications', '`GET /admin/applications?status=` lists applications, newest first.'),
    rule(
      'admin.applications-decided',
      '`POST /admin/applications/{id}/approve` creates the partner; `POST /admin/applications/{id}/reject` does not. A second decision gets 409.',
    ),
    rule(
      'admin.partners-published',
      '`POST /admin/partners/publish` publishes `partner.changed` again for every partner.',
    ),
    rule(
      'admin.attention',
      '`GET /admin/attention` counts what needs attention: held sales, applications, disabled, paused and failing endpoints, failed and held postbacks, dead letters.',
    ),
    rule('admin.deactivation', '`GET /admin/partners/{id}/deactivation` shows what a deactivation affects.'),
    rule(
      'admin.partner-change',
      '`PATCH /admin/partners/{id}` changes whether the partner is active, its contact and its revoke window.',
    ),
    rule(
      'admin.endpoint-limits',
      '`PATCH /admin/partners/{id}` changes the partner’s limit of concurrent requests to each of its endpoints.',
    ),
    rule(
      'admin.token-issue',
      '`POST /admin/partners/{id}/tokens` issues a token with `name`, `scopes`, `environment` and `expiresAt`.',
    ),
    rule(
      'admin.token-rotate',
      '`POST /admin/tokens/{id}/rotate` issues a successor. The old token stays valid for `overlapSeconds`, unless it expires earlier.',
    ),
    rule(
      'admin.token-leaked',
      '`POST /admin/tokens/{id}/leaked` issues a successor and revokes the old token at once.',
    ),
    rule(
      'admin.portal-links',
      '`POST /admin/partners/{id}/portal-links` creates a link with name, environment, lifetime and rights. Links can be listed and ended; both changes are audited.',
    ),
    rule(
      'portal.once',
      'The code of a portal link can be exchanged for a session only once, even if several callers try this at the same time.',
    ),
    rule(
      'portal.session',
      'A portal session is a partner token that is valid for 12 hours. A read-only session has only the scopes that read; any other session has all scopes that a live token of the partner can have.',
    ),
    rule(
      'portal.end',
      'A portal session is listed among the tokens. The partner or the manager can end the session at once.',
    ),
    rule('admin.token-revoke', '`DELETE /admin/tokens/{id}` revokes a token.'),
    rule(
      'admin.promotions',
      '`GET|POST /admin/partners/{id}/promotions` lists and creates promotions. A new active promotion deactivates the previous one: a partner has at most one active promotion.',
    ),
    rule('admin.voucher-groups', '`GET|POST /admin/partners/{id}/voucher-groups` lists and creates voucher groups.'),
    rule(
      'admin.voucher-group-change',
      '`PATCH /admin/voucher-groups/{id}` changes the status and the stock of a voucher group.',
    ),
    rule(
      'admin.sales',
      '`GET /admin/sales?status=&partnerId=&oid=&refId=` lists sales; `status=held` lists those that wait for a decision.',
    ),
    rule(
      'admin.sale-filters',
      '`GET /admin/sales` filters by `environment`, `search` (id, reference or partner) and the time of the sale: `from` inclusive, `to` exclusive.',
    ),
    rule(
      'admin.sale-totals',
      '`GET /admin/sales?totals=true` also answers the totals, by currency, of the sales that match the filter and have qualified.',
    ),
    rule(
      'admin.sale-export',
      '`GET /admin/sales/export?from=&to=&environment=` streams each sale that has qualified as a line of JSON: the fields of `sale.completed`, and the sale’s current state.',
    ),
    rule(
      'admin.sale-csv',
      '`GET /admin/sales/export/csv` streams sales in every status as CSV. It has the filters of `GET /admin/sales`, except `oid` and `status=unattributed`.',
    ),
    rule(
      'admin.release',
      '`POST /admin/sales/{oid}/release` makes a held sale qualify, and its postback is sent once.',
    ),
    rule('admin.refuse', '`POST /admin/sales/{oid}/refuse` makes a held sale fail permanently.'),
    rule(
      'admin.hold-evidence',
      'A held sale shows the evidence of the fraud rule that stopped it: the domain, or the buyer’s other sales.',
    ),
    rule(
      'admin.decisions',
      '`POST /admin/sales/decisions` releases or refuses several held sales, with a note. A sale that cannot be decided does not affect the others.',
    ),
    rule(
      'admin.postback-status',
      '`GET /admin/partners/{id}/postback` shows the state of the endpoint, but never its key.',
    ),
    rule(
      'admin.postback-enable',
      '`POST /admin/partners/{id}/postback/enable` enables a disabled endpoint, as an audited action.',
    ),
    rule(
      'admin.postback-test',
      '`POST /admin/partners/{id}/postback/test` sends a sample postback to the partner’s endpoint. The action is audited.',
    ),
    rule(
      'admin.deliveries',
      '`GET /admin/partners/{id}/deliveries?status=&oid=&refId=` lists deliveries as the partner sees them.',
    ),
    rule(
      'admin.delivery-replay',
      '`POST /admin/partners/{id}/deliveries/{id}/replay` replays one delivery, and `POST /admin/partners/{id}/deliveries/replay` the deliveries of a time range. Both actions are audited.',
    ),
    rule(
      'admin.count-replay',
      '`GET /admin/partners/{id}/deliveries/replay?from=&to=&status=` counts the deliveries that a `POST` to this path would replay now. Counting is not audited.',
    ),
    rule('admin.unknown-parameters', 'A list answers 422 to an unknown query parameter.'),
    rule(
      'admin.sale-story',
      '`GET /admin/sales/{oid}/story` reports what became of a sale and its postback, why, and what can be done next.',
    ),
    rule(
      'admin.why',
      '`npm run partner -- why <oid|ref_id>` explains the state of a sale and its postback, and what to do next.',
    ),
    rule(
      'admin.audit-filters',
      '`GET /admin/audit` filters by `actor`, `action`, `entity`, `entityId`, `partnerId` (the partner and everything that belongs to it) and time: `from` inclusive, `to` exclusive.',
    ),
    rule(
      'admin.audit-list',
      '`GET /admin/audit` lists managers’ actions, and partners’ changes to their endpoints, newest first.',
    ),
    rule(
      'admin.audit-row',
      'Every action adds an audit row with the actor, the action, the request id, and the values before and after, with secrets masked. The row of a partner’s change has no values from before the change.',
    ),
    rule('admin.cli', 'The CLI `npm run partner` offers the manager API’s operations.'),
  ],
};
