import type { Sale } from './sale.entity';
import { addStatistics } from './sale-statistic.statements';

/** The columns of a sale that the app writes: for each column, the property of {@link Sale}, the name and the type. */
const COLUMNS: readonly (readonly [property: keyof Sale, column: string, type: string])[] = [
  ['oid', 'oid', 'text'],
  ['status', 'status', 'text'],
  ['version', 'version', 'integer'],
  ['partnerId', 'partner_id', 'text'],
  ['promotionId', 'promotion_id', 'text'],
  ['environment', 'environment', 'text'],
  ['sharedId', 'shared_id', 'text'],
  ['attributedBy', 'attributed_by', 'text'],
  ['attributedAt', 'attributed_at', 'timestamptz'],
  ['unattributedReason', 'unattributed_reason', 'text'],
  ['paymentStatus', 'payment_status', 'text'],
  ['soldAt', 'sold_at', 'timestamptz'],
  ['amount', 'amount', 'text'],
  ['currency', 'currency', 'text'],
  ['items', 'items', 'jsonb'],
  ['emailMasked', 'email_masked', 'text'],
  ['emailHash', 'email_hash', 'text'],
  ['closedBy', 'closed_by', 'text'],
  ['closedAt', 'closed_at', 'timestamptz'],
  ['holdReason', 'hold_reason', 'text'],
  ['holdEvidence', 'hold_evidence', 'jsonb'],
  ['holdDecision', 'hold_decision', 'text'],
  ['holdNote', 'hold_note', 'text'],
  ['failureReason', 'failure_reason', 'text'],
  ['qualifiedAt', 'qualified_at', 'timestamptz'],
  ['revokedAt', 'revoked_at', 'timestamptz'],
  ['revokeReason', 'revoke_reason', 'text'],
  ['revokeNote', 'revoke_note', 'text'],
];

/** The properties of a sale about which nothing is known: all are null. */
export const NO_FACTS = Object.fromEntries(COLUMNS.map(([property]) => [property, null])) as {
  [P in keyof Sale]: null;
};

const list = (of: (column: (typeof COLUMNS)[number]) => string): string => COLUMNS.map(of).join(', ');

/** The select list that returns the columns of a sale under the names of their properties. */
export const SALE_COLUMNS = list(([property, column]) => `${column} as "${property}"`);

/**
 * Returns the SQL condition that a sale has the given reference. The indexes contain only the first 500 characters of references, because
 * the size of an index entry is limited.
 */
export const hasReference = (column: string, refId: string): string =>
  `left(${column}, 500) = left(${refId}, 500) and ${column} = ${refId}`;

/**
 * $1: ids. Looks up each id by the primary key, in order. The lateral join enforces these look-ups even in a plan that was made while the
 * table was empty. With `= any`, such a plan would read the whole table, and Postgres would keep the plan until the next ANALYZE.
 */
export const LOCK_SALES = `
  select sale.*
    from (select oid from unnest($1::text[]) as given (oid) order by oid) as wanted
    cross join lateral (
      select ${SALE_COLUMNS}
        from sale where oid = wanted.oid for update
    ) as sale`;

/**
 * $1: JSON array of sales; $2: ids of the sales that may be overwritten; $3: JSON array of changes of statistics. Returns the ids of the
 * sales that were written. To avoid a deadlock, the statistics are written after the sales. A transaction may have to wait for a sale that
 * another transaction is inserting; while it waits, it must not hold rows of statistics that the other transaction needs.
 */
export const SAVE_SALES = `
  with saved as (
    insert into sale (${list(([, column]) => column)})
    select ${list(([property]) => `"${property}"`)}
      from json_to_recordset($1::json) as given (${list(([property, , type]) => `"${property}" ${type}`)})
     order by oid
    on conflict (oid) do update set ${list(([, column]) => `${column} = excluded.${column}`)}, updated_at = now()
     where sale.oid = any($2::text[])
    returning oid),
  counted as (
    ${addStatistics('$3', '(select count(*) from saved) >= 0')})
  select oid from saved`;

/** $1: hashes of e-mail addresses. Locks each buyer with an advisory lock. Every caller acquires the locks in the same order. */
export const LOCK_BUYERS = `
  select pg_advisory_xact_lock(key)
    from (select distinct hashtextextended('buyer:' || hash, 0) as key from unnest($1::text[]) as hash order by key) as buyer`;

const counted = (range: string): string => `
  select oid, email_hash as "emailHash", environment, sold_at as "soldAt"
    from sale
   where email_hash = wanted.email_hash and ${range}
     and environment = wanted.environment and payment_status = 'captured' and partner_id is not null
     and oid <> all($4::text[])`;

/**
 * $1, $2, $3: hashes of e-mail addresses, environments and times; $4: ids to leave out; $5: how many sales to read before and after each
 * time. Among sales with equal times, those with the lowest ids are read first.
 */
export const FIND_SALES_AROUND = `
  select counted.*
    from unnest($1::text[], $2::text[], $3::timestamptz[]) as wanted (email_hash, environment, at)
    cross join lateral (
      (${counted(`sold_at > at - interval '1 hour' and sold_at <= at`)} order by sold_at desc, oid limit $5)
      union all
      (${counted(`sold_at > at and sold_at < at + interval '1 hour'`)} order by sold_at, oid limit $5)
    ) as counted`;
