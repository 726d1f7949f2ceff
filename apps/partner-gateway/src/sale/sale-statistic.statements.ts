import { bucketOf, StatisticTable } from '@tandem/database';
import { AMOUNTS, COUNTS } from './sale-count.rules';

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const KEY = ['partnerId', 'environment', 'bucket', 'promotionId', 'currency'] as const;
const NAMES = [...KEY, ...COUNTS, ...AMOUNTS];

const TYPES: Readonly<Record<string, string>> = {
  bucket: 'timestamptz',
  ...Object.fromEntries(COUNTS.map((name) => [name, 'bigint'])),
  ...Object.fromEntries(AMOUNTS.map((name) => [name, 'numeric'])),
};

const TABLE = new StatisticTable('sale_statistic', KEY.map(snake), [...COUNTS, ...AMOUNTS].map(snake));

/**
 * Returns the SQL that adds changes to the statistics.
 *
 * @param json the query parameter that contains the JSON array of changes
 * @param condition the changes are added only if this SQL condition is true
 */
export const addStatistics = (json: string, condition: string): string =>
  TABLE.add(`
    select ${NAMES.map((name) => `"${name}" as ${snake(name)}`).join(', ')}
    from json_to_recordset(${json}::json) as given (${NAMES.map((name) => `"${name}" ${TYPES[name] ?? 'text'}`).join(', ')})
    where ${condition}`);

const money = (status: string): string => `sum(case when ${status} then amount::numeric else 0 end)`;
const number = (condition: string): string => `count(*) filter (where ${condition})`;
const QUALIFIED = 'qualified_at is not null';

/** $1: the partner whose sales are counted again. */
export const RECOUNT = TABLE.recounts(
  `select partner_id, environment, ${bucketOf('sold_at')} as bucket,
      coalesce(promotion_id, '') as promotion_id, currency,
      ${number(QUALIFIED)} as sales, ${number(`status = 'held'`)} as held, ${number(`status = 'revoked'`)} as revoked,
      ${number(`${QUALIFIED} and status = 'refunded'`)} as refunded,
      ${number(`${QUALIFIED} and status = 'charged_back'`)} as charged_back,
      ${money(QUALIFIED)} as amount, ${money(`status = 'revoked'`)} as revoked_amount,
      ${money(`${QUALIFIED} and status = 'refunded'`)} as refunded_amount,
      ${money(`${QUALIFIED} and status = 'charged_back'`)} as charged_back_amount
    from sale where partner_id = $1 and currency is not null and sold_at is not null
    group by 1, 2, 3, 4, 5`,
  'partner_id = $1',
  // The rows that count all partners together have an empty promotion id.
  { promotion_id: `''::text` },
);
