import { rule, type Section } from './rule';

/** Figures of sales, postbacks and vouchers. */
export const STATISTICS: Section = {
  title: 'Statistics',
  rules: [
    rule(
      'statistics.figures',
      '`GET /partner/statistics?from=&to=&by=&timeZone=` (scope `sales:read`) and `GET /admin/statistics?partnerId=&environment=&…` answer sales, amounts, held, revoked, refunded and charged-back sales by period and currency.',
    ),
    rule(
      'statistics.time-zone',
      'Days, weeks and months begin and end in the given time zone. A sale counts at its own time.',
    ),
    rule('statistics.own', 'A partner sees the figures of its own sales in the environment of its token.'),
    rule(
      'statistics.postbacks',
      'They also answer `postbacks` of the range: deliveries that were delivered, that have failed for good, and `firstAttempt` with `averageMs` and `p95Ms`. A delivery counts at the time of its creation, as it is now.',
    ),
    rule(
      'statistics.vouchers',
      'They also answer `vouchers` of the range: coupons created and redeemed, each at its own time.',
    ),
    rule(
      'statistics.down',
      'While the app that owns them is down, `postbacks` or `vouchers` is null, and the rest is answered.',
    ),
    rule(
      'statistics.recount',
      '`POST /admin/partners/{id}/statistics/recount` and `POST /admin/statistics/recount` count sales, postbacks and vouchers again, correct what differs, and answer `{"corrected","postbacks","vouchers"}`. Postbacks are counted as far back as their deliveries are kept.',
    ),
  ],
};
