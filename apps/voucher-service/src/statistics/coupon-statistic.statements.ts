import { bucketOf, countedFor, StatisticTable } from '@tandem/database';

const TABLE = new StatisticTable('coupon_statistic', ['partner_id', 'environment', 'bucket'], ['created', 'redeemed']);

/** Returns the SQL that adds one batch to the numbers of created coupons. @param of the SQL expression of each value */
export const countCreated = (of: { partnerId: string; environment: string; at: string; count: string }): string =>
  TABLE.add(`
    select partner_id, ${of.environment} as environment, ${bucketOf(of.at)} as bucket, ${of.count} as created, 0 as redeemed
    from ${countedFor(of.partnerId)}`);

/** Counts redeemed coupons. $1, $2, $3: their partners, environments and redemption times. */
export const COUNT_REDEEMED = TABLE.add(`
  select counted.partner_id, environment, ${bucketOf('at')} as bucket, 0 as created, count(*) as redeemed
  from unnest($1::text[], $2::text[], $3::timestamptz[]) as given (partner_id, environment, at)
  cross join lateral ${countedFor('given.partner_id')}
  group by 1, 2, 3`);

const coupons = (time: string, created: string, redeemed: string, condition: string): string => `
  select g.partner_id, g.environment, ${bucketOf(time)} as bucket, ${created} as created, ${redeemed} as redeemed
  from voucher_group g join coupon c on c.group_id = g.id
  where g.partner_id = $1 and ${condition} group by 1, 2, 3`;

/** The statements that recount the coupons of one partner ($1), and those that compute the totals of all partners from the partners' rows. */
export const RECOUNT = TABLE.recounts(
  `select partner_id, environment, bucket, sum(created) as created, sum(redeemed) as redeemed
   from (${coupons('c.created_at', 'count(*)', '0', 'true')}
     union all ${coupons('c.redeemed_at', '0', 'count(*)', 'c.redeemed_at is not null')}) as counted
   group by 1, 2, 3`,
  'partner_id = $1',
);

/** Adds up the coupons in a range. $1, $2: the partner and the environment; $3, $4: the beginning and the exclusive end of the range. */
export const FIND_FIGURES = `
  select coalesce(sum(created), 0)::float8 as created, coalesce(sum(redeemed), 0)::float8 as redeemed
  from coupon_statistic where partner_id = $1 and environment = $2 and bucket >= $3 and bucket < $4`;
