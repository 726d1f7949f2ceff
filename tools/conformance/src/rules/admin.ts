import { rule, type Section } from './rule';

/** What the partner manager does. */
export const ADMIN: Section = {
  title: 'The partner manager',
  rules: [
    rule(
      'admin.access',
      '`/admin/**` accepts a bearer token of the service issuer with the scope `partner:manage`, but no partner token.',
    ),
    rule('admin.lists', 'Errors are problem+json; lists are read by cursor, newest first.'),
    rule('admin.partners', '`GET|POST /admin/partners`.'),
    rule(
      'admin.partner-search',
      '`GET /admin/partners?search=&kind=&active=` finds partners by name, id, promotion code or the end of a token.',
    ),
    rule(
      'admin.applications-sent',
      '`POST /api/v2/partner-applications` needs no token and answers 202 with an id; a repeat gets the same id until the decision.',
    ),
    rule(
      'admin.applications-limits',
      'More applications than the limit of an address in an hour, or of all in a day, get 429.',
    ),
    rule('admin.applications-off', 'The route answers 404 while applications are turned off.'),
    rule('admin.applications', '`GET /admin/applications?status=` lists applications, newest first.'),
    rule(
      'admin.applications-decided',
      '`POST /admin/applications/{id}/approve` creates the partner, `…/reject` does not. A second decision gets 409.',
    ),
    rule('admin.partners-published', '`POST /admin/partners/publish` publishes every partner again.'),
    rule(
      'admin.attention',
      '`GET /admin/attention` counts what needs attention: held sales, applications, disabled endpoints, failed postbacks, dead letters.',
    ),
    rule('admin.deactivation', '`GET /admin/partners/{id}/deactivation` shows what a deactivation affects.'),
    rule('admin.partner-change', '`PATCH /admin/partners/{id}`: changes active, contact and revocation window.'),
    rule(
      'admin.endpoint-limits',
      '`PATCH /admin/partners/{id}` changes the partner’s endpoint limits: the maximum of concurrent requests to each endpoint.',
    ),
    rule('admin.token-issue', '`POST /admin/partners/{id}/tokens`: scopes, environment, expiresAt.'),
    rule('admin.token-rotate', '`POST /admin/tokens/{id}/rotate`: overlapSeconds.'),
    rule('admin.token-leaked', '`POST /admin/tokens/{id}/leaked`: issues a successor and revokes the token at once.'),
    rule(
      'admin.portal-links',
      '`POST /admin/partners/{id}/portal-links` creates a link with environment, lifetime and rights; links can be listed and ended, and are audited.',
    ),
    rule(
      'portal.once',
      'The code of a portal link can be exchanged for a session only once, even by concurrent callers.',
    ),
    rule(
      'portal.session',
      'A portal session is a partner token that is valid for 12 hours, with all or only the reading scopes of its partner’s kind.',
    ),
    rule(
      'portal.end',
      'A portal session is listed among the tokens, and the partner or the manager can end it at once.',
    ),
    rule('admin.token-revoke', '`DELETE /admin/tokens/{id}`.'),
    rule(
      'admin.promotions',
      '`GET|POST /admin/partners/{id}/promotions`: a partner has one active dedicated discount.',
    ),
    rule('admin.voucher-groups', '`GET|POST /admin/partners/{id}/voucher-groups`.'),
    rule('admin.voucher-group-change', '`PATCH /admin/voucher-groups/{id}`: status, stock.'),
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
      '`totals=true` adds up, by currency, the sales that match the filter and have qualified.',
    ),
    rule(
      'admin.sale-export',
      '`GET /admin/sales/export?from=&to=&environment=` streams every sale that has qualified as a line with the fields of its events.',
    ),
    rule(
      'admin.sale-csv',
      '`GET /admin/sales/export/csv` streams the sales of the list, in every status, as CSV; it has the filters of the list, except `oid`.',
    ),
    rule('admin.release', '`POST /admin/sales/{oid}/release`: the sale qualifies once, and its postback is sent.'),
    rule('admin.refuse', '`POST /admin/sales/{oid}/refuse`: the sale fails permanently.'),
    rule('admin.hold-evidence', 'A held sale shows the evidence of its rule: the domain, or the buyer’s other sales.'),
    rule(
      'admin.decisions',
      '`POST /admin/sales/decisions` releases or refuses several held sales, each by itself, with a note.',
    ),
    rule(
      'admin.postback-status',
      '`GET /admin/partners/{id}/postback` shows the state of the endpoint, never the key.',
    ),
    rule(
      'admin.postback-enable',
      '`POST /admin/partners/{id}/postback/enable` enables a disabled endpoint, as an audited action.',
    ),
    rule('admin.postback-test', '`POST /admin/partners/{id}/postback/test` sends a sample, as an audited action.'),
    rule(
      'admin.deliveries',
      '`GET /admin/partners/{id}/deliveries?status=&oid=&refId=` lists deliveries as the partner sees them.',
    ),
    rule(
      'admin.delivery-replay',
      '`POST /admin/partners/{id}/deliveries/{id}/replay` sends a delivery again, `POST …/deliveries/replay` those of a time range; both are audited.',
    ),
    rule('admin.unknown-parameters', 'An unknown query parameter of a list is 422.'),
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
      'Filters: `actor`, `action`, `entity`, `entityId`, `partnerId` (with all that belongs to it), and time, `from` inclusive, `to` exclusive.',
    ),
    rule('admin.audit-list', '`GET /admin/audit` lists managers’ actions, newest first.'),
    rule(
      'admin.audit-row',
      'Every action adds an audit row: actor, action, values before and after with secrets masked, request id.',
    ),
    rule('admin.cli', 'The CLI `npm run partner` offers the admin API’s operations.'),
  ],
};
