import { bucketOf, countedFor, StatisticTable } from '@tandem/database';
import { LATENCY_BOUNDS_MS } from '@tandem/internal-api';

/** The columns that count first attempts by latency: one for each upper bound, and one for attempts above the last bound. */
export const LATENCY_COUNTERS = [...LATENCY_BOUNDS_MS.map((bound) => `first_within_${bound}`), 'first_slower'] as const;

const TABLE = new StatisticTable(
  'delivery_statistic',
  ['partner_id', 'environment', 'bucket'],
  ['delivered', 'failed', 'first_attempts', 'first_attempt_ms', ...LATENCY_COUNTERS],
);

/**
 * Returns SQL expressions for all columns about first attempts.
 * @param latency an SQL expression for the latency of the first attempt in ms; null if the row has no first attempt
 */
const firstAttempts = (latency: string): string => {
  const bounds = [...LATENCY_BOUNDS_MS, null];
  const counters = LATENCY_COUNTERS.map((name, index) => {
    const [above, most] = [bounds[index - 1], bounds[index]];
    const within = [above == null ? [] : `${latency} > ${above}`, most == null ? [] : `${latency} <= ${most}`].flat();
    return `count(*) filter (where ${within.join(' and ')}) as ${name}`;
  });
  return `count(${latency}) as first_attempts, coalesce(sum(${latency}), 0) as first_attempt_ms, ${counters.join(', ')}`;
};

const NO_FIRST_ATTEMPTS = ['first_attempts', 'first_attempt_ms', ...LATENCY_COUNTERS]
  .map((name) => `0 as ${name}`)
  .join(', ');

/** Makes the delivery `d` count both in the rows of its partner and in the rows of all partners together. */
const EACH_AND_ALL = `cross join lateral ${countedFor('d.partner_id')}`;
const KEY = `counted.partner_id, d.environment, ${bucketOf('d.created_at')} as bucket`;

/**
 * Returns a statement that counts stored results: deliveries that became delivered or failed, and the latencies of first attempts. A
 * delivered delivery with a failure reason was counted as failed before, so the statement subtracts it from the failed deliveries.
 *
 * @param marked the name of a query with the deliveries whose result counted, as they are now
 * @param result the name of a query with the results; `id` is the id of the delivery
 */
export const countResults = (marked: string, result: string): string =>
  TABLE.add(`
    select ${KEY}, count(*) filter (where d.status = 'delivered') as delivered,
      count(d.failure_reason) filter (where d.status = 'failed')
        - count(d.failure_reason) filter (where d.status = 'delivered') as failed,
      ${firstAttempts('case when d.attempt_count = 1 then r.latency_ms end')}
    from ${marked} d join ${result} r using (id) ${EACH_AND_ALL}
    where r.outcome <> 'pending' or d.attempt_count = 1 group by 1, 2, 3`);

/** Returns a statement that counts deliveries that failed because they expired. */
export const countExpired = (expired: string): string =>
  TABLE.add(`
    select ${KEY}, 0 as delivered, count(*) as failed, ${NO_FIRST_ATTEMPTS}
    from ${expired} d ${EACH_AND_ALL} group by 1, 2, 3`);

/**
 * Returns a statement that subtracts deliveries from the counters because a replay made them pending again.
 * @param status an SQL expression for a delivery's status before the replay
 */
export const countReplayed = (replayed: string, status: string): string =>
  TABLE.add(`
    select ${KEY}, -count(*) filter (where ${status} = 'delivered') as delivered,
      -count(*) filter (where ${status} = 'failed') as failed, ${NO_FIRST_ATTEMPTS}
    from ${replayed} d ${EACH_AND_ALL} where ${status} in ('delivered', 'failed') group by 1, 2, 3`);

/**
 * Recounts the deliveries of a partner. $1: the partner; $2: the first quarter of an hour to compare. First attempts are searched from an
 * hour before $2, because their times come from the clocks of processes, which may be behind.
 */
export const RECOUNT = TABLE.recounts(
  `select d.partner_id, d.environment, ${bucketOf('d.created_at')} as bucket,
      count(*) filter (where d.status = 'delivered') as delivered,
      count(*) filter (where d.status = 'failed' and d.failure_reason is not null) as failed,
      ${firstAttempts('a.latency_ms')}
    from delivery d
    left join attempt a on a.delivery_id = d.id and a.number = 1 and a.at >= $2::timestamptz - interval '1 hour'
    where d.partner_id = $1 and d.created_at >= $2 group by 1, 2, 3`,
  'partner_id = $1 and bucket >= $2',
);

/** $1, $2: the partner and the environment; $3, $4: the beginning and the exclusive end of the range. */
export const FIND_FIGURES = `
  select ${['delivered', 'failed', 'first_attempts', 'first_attempt_ms', ...LATENCY_COUNTERS]
    .map((column) => `coalesce(sum(${column}), 0)::float8 as ${column}`)
    .join(', ')}
  from delivery_statistic where partner_id = $1 and environment = $2 and bucket >= $3 and bucket < $4`;
