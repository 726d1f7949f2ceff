import { AMOUNTS, COUNTS } from './sale-count.rules';

/** Rows per key. Each connection writes one of them, so concurrent transactions rarely wait for each other; readers add the rows up. */
const SLOTS = 8;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const KEY = ['partnerId', 'environment', 'bucket', 'promotionId', 'currency'] as const;
const VALUES = [...COUNTS, ...AMOUNTS] as const;

/** The columns of a key, in the order of the primary key. */
export const STATISTIC_KEY = KEY.map(snake);

/** The columns that are added up. */
export const STATISTIC_VALUES = VALUES.map(snake);

const TYPES: Readonly<Record<string, string>> = {
  bucket: 'timestamptz',
  ...Object.fromEntries(COUNTS.map((name) => [name, 'bigint'])),
  ...Object.fromEntries(AMOUNTS.map((name) => [name, 'numeric'])),
};

/** The record definition for reading a change from JSON. */
export const STATISTIC_RECORD = [...KEY, ...VALUES].map((name) => `"${name}" ${TYPES[name] ?? 'text'}`).join(', ');

const TARGET = `sale_statistic as s (${[...STATISTIC_KEY, 'slot', ...STATISTIC_VALUES].join(', ')})`;
const ON_CONFLICT = `on conflict (${STATISTIC_KEY.join(', ')}, slot) do update set
  ${STATISTIC_VALUES.map((column) => `${column} = s.${column} + excluded.${column}`).join(', ')}`;

/** Adds changes to the rows of this connection's slot. @param source a FROM clause with the columns of {@link STATISTIC_RECORD}, with any conditions */
export const addStatistics = (source: string): string => `
  insert into ${TARGET}
  select ${KEY.map((name) => `"${name}"`).join(', ')}, pg_backend_pid() % ${SLOTS}, ${VALUES.map((name) => `"${name}"`).join(', ')}
    from ${source}
   order by ${KEY.map((name) => `"${name}"`).join(', ')}
  ${ON_CONFLICT}`;

const sums = (of: (column: string) => string): string => STATISTIC_VALUES.map(of).join(', ');

/** Adds the differences between the sales (`truth`) and the statistics (`stored`). Returns a row for each difference. */
const correct = (ctes: string): string => `
  with ${ctes},
  difference as (
    select ${STATISTIC_KEY.join(', ')}, ${sums((column) => `coalesce(t.${column}, 0) - coalesce(o.${column}, 0) as ${column}`)}
      from truth t full join stored o using (${STATISTIC_KEY.join(', ')}))
  insert into ${TARGET}
  select ${STATISTIC_KEY.join(', ')}, pg_backend_pid() % ${SLOTS}, ${sums((column) => column)}
    from difference where (${sums((column) => column)}) <> (${sums(() => '0')})
   order by ${STATISTIC_KEY.join(', ')}
  ${ON_CONFLICT}
  returning 1`;

const storedOf = (condition: string): string => `
  stored as (
    select ${STATISTIC_KEY.join(', ')}, ${sums((column) => `sum(${column}) as ${column}`)}
      from sale_statistic where ${condition} group by ${STATISTIC_KEY.join(', ')})`;

const money = (status: string): string => `sum(case when ${status} then amount::numeric else 0 end)`;
const number = (condition: string): string => `count(*) filter (where ${condition})`;
const QUALIFIED = 'qualified_at is not null';

/** $1: the partner whose sales are counted again. Sales and statistics change in the same transactions, so one statement with one snapshot can compare them. */
export const RECOUNT_PARTNER = correct(`
  truth as (
    select partner_id, environment, to_timestamp(floor(extract(epoch from sold_at) / 900) * 900) as bucket,
      coalesce(promotion_id, '') as promotion_id, currency,
      ${number(QUALIFIED)} as sales, ${number(`status = 'held'`)} as held, ${number(`status = 'revoked'`)} as revoked,
      ${number(`${QUALIFIED} and status = 'refunded'`)} as refunded,
      ${number(`${QUALIFIED} and status = 'charged_back'`)} as charged_back,
      ${money(QUALIFIED)} as amount, ${money(`status = 'revoked'`)} as revoked_amount,
      ${money(`${QUALIFIED} and status = 'refunded'`)} as refunded_amount,
      ${money(`${QUALIFIED} and status = 'charged_back'`)} as charged_back_amount
    from sale where partner_id = $1 and currency is not null and sold_at is not null
    group by 1, 2, 3, 4, 5),
  ${storedOf('partner_id = $1')}`);

/** $1: the name that stands for all partners together; its rows are the sums of all other rows. */
export const RECOUNT_ALL = correct(`
  truth as (
    select $1::text as partner_id, environment, bucket, '' as promotion_id, currency,
      ${sums((column) => `sum(${column}) as ${column}`)}
      from sale_statistic where partner_id <> $1 group by environment, bucket, currency),
  ${storedOf('partner_id = $1')}`);
