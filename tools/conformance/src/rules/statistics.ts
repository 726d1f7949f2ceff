import { rule, type Section } from './rule';

/** Figures of sales. */
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
      'statistics.recount',
      '`POST /admin/partners/{id}/statistics/recount` and `POST /admin/statistics/recount` count again, correct differences, and answer `{"corrected"}`.',
    ),
  ],
};
