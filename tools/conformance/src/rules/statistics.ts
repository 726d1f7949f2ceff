import { rule, type Section } from './rule';

/** Figures of sales, postbacks and vouchers. */
export const STATISTICS: Section = {
  title: 'Statistics',
  rules: [
    rule(
      'statistics.figures',
      '`GET /partner/statistics?from=&to=&by=&timeZone=` (scope `sales:read`) and `GET /admin/statistics?partnerId=&environment=&…` answer, by period and currency, the number of sales, their amounts, and the held, revoked, refunded and charged-back sales.',
    ),
    rule(
      'statistics.ranking',
      '`GET /admin/statistics/partners?environment=&from=&to=&by=&timeZone=&limit=` answers the partners with the highest net amounts in each currency, with their figures.',
    ),
    rule(
      'statistics.time-zone',
      'Days, weeks and months begin and end in the given time zone. A sale counts at the time of the sale.',
    ),
    rule('statistics.own', 'A partner sees the figures of its own sales in the environment of its token.'),
    rule(
      'statistics.postbacks',
      'The statistics include `postbacks` of the range: how many were delivered, how many failed permanently, and `firstAttempt` with `averageMs` and `p95Ms`. A delivery counts at the time of its creation, with its current status.',
    ),
    rule(
      'statistics.vouchers',
      'The statistics include `vouchers` of the range: coupons created, by the time of their creation, and coupons redeemed, by the time of the payment.',
    ),
    rule(
      'statistics.down',
      '`postbacks` or `vouchers` is null while the app that counts them is down; the other figures are returned.',
    ),
    rule(
      'statistics.recount',
      '`POST /admin/partners/{id}/statistics/recount` counts a partner’s sales, postbacks and vouchers again. `POST /admin/statistics/recount` adds up the totals of all partners again. Both correct differences, and answer `{"corrected","postbacks","vouchers"}`. Only postbacks whose deliveries are still kept are recounted.',
    ),
  ],
};
