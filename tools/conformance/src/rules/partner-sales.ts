import { rule, type Section } from './rule';

/** What a partner sees of its own sales. */
export const PARTNER_SALES: Section = {
  title: 'The sales of a partner',
  rules: [
    rule(
      'partner-sales.list',
      '`GET /partner/sales?status=&refId=&from=&to=&cursor=&limit=` answers `{"items","nextCursor","hasMore"}`, newest first by the time of the sale. It requires the scope `sales:read`.',
    ),
    rule(
      'partner-sales.item',
      'A sale is `{"oid","refId","status","reason","currency","amount","items","emailMasked","soldAt","qualifiedAt","revokedAt","closedAt","postback"}`. It shows no more about the buyer than the postback does.',
    ),
    rule('partner-sales.states', 'Sales in every state are listed. A held, failed or revoked sale has a reason.'),
    rule(
      'partner-sales.filters',
      'Sales are filtered by status, by the partner’s own reference, and by the time of the sale: `from` inclusive, `to` exclusive.',
    ),
    rule(
      'partner-sales.postback',
      'A sale that has qualified includes its postback: `{"id","status","attempts","deliveredAt","nextAttemptAt","error"}`. The status is `unknown` while the delivery log cannot be reached.',
    ),
    rule('partner-sales.one', '`GET /partner/sales/{oid}` answers one sale, or 404 `subscription_not_found`.'),
    rule('partner-sales.own', 'A token gives access only to the sales of its own partner and environment.'),
    rule(
      'partner-sales.export',
      '`GET /partner/sales/export` streams all sales that match the filters as CSV. No cell can be read as a formula.',
    ),
  ],
};
