/* The SQL statements of the reconciliation queue. ReconciliationRepository documents their purpose, and README.md documents most columns. */

const CLAIM_ROW = `
  krn, claimed, requested, failures, personal_data as "personalData", late_write_until as "lateWriteUntil", asked,
  ended_codes as "endedCodes", look_at as "lookAt", now() as "claimedAt"`;

/** The number of a new claim: the current time in µs. It is higher than any earlier number of the user, even if the row was deleted since. */
const NEXT_CLAIM = `(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/**
 * Merges a request into the row. `asked` stores who requested the enrollments, and becomes the reason of the enrollments that the run makes
 * wanted. A `sync` cannot be such a reason, so it never replaces another value.
 */
const MERGE_REQUEST = `
  due_at = now(), requested = r.requested + 1, failures = 0, last_error = null,
  personal_data = r.personal_data or excluded.personal_data,
  asked = case when coalesce(excluded.asked, 'sync') = 'sync' then coalesce(r.asked, excluded.asked) else excluded.asked end`;

export const REQUEST = `
  insert into reconciliation as r (krn, due_at, personal_data, asked) values ($1, now(), $2, $3)
  on conflict (krn) do update set ${MERGE_REQUEST}, claimed = case when $4::boolean then ${NEXT_CLAIM} else r.claimed end`;

/** The key of the advisory lock that makes REQUEST_KNOWN and CLAIM_FOR_WRITE of the same user wait for each other. @param krn an SQL expression */
const queueKey = (krn: string): string => `hashtextextended('idp.queue:' || ${krn}, 0)`;

/**
 * Waits until every running CLAIM_FOR_WRITE of these users is committed, and delays later ones until this transaction ends. Must run before
 * REQUEST_KNOWN, as a statement of its own, because REQUEST_KNOWN must see what was committed during this wait, and a statement does not
 * see what was committed after it began.
 */
export const LOCK_QUEUE = `
  select count(pg_advisory_xact_lock_shared(key))
    from (select distinct ${queueKey('krn')} as key from unnest($1::text[]) as given (krn) order by key) as keys`;

/**
 * Queues several users. Skips users who have no profile and are not queued, because they have nothing to reconcile. A queued user
 * without a profile is not skipped, because a request may be creating the profile. The rows are ordered by KRN, so that two batches
 * cannot deadlock.
 */
export const REQUEST_KNOWN = `
  insert into reconciliation as r (krn, due_at, asked)
  select krn, now(), given.asked
    from unnest($1::text[], $2::text[]) as given (krn, asked)
   where exists (select from profile p where p.krn = given.krn) or exists (select from reconciliation q where q.krn = given.krn)
   order by krn
  on conflict (krn) do update set ${MERGE_REQUEST}`;

/**
 * When the vendor last reported an enrollment, or showed a change of its own.
 *
 * @param seconds the vendor's replication delay, as an SQL expression
 */
const seenAt = (seconds: string): string => `r.look_at - make_interval(secs => ${seconds})`;

/**
 * Adds the codes that the vendor now reports as ended to the codes that are already stored. First drops the stored codes if an earlier
 * un-enroll of ours may have ended them, that is, if `late_write_until` has passed but is later than the vendor's report of these codes.
 * While `late_write_until` is in the future, the stored codes are kept, because a run whose calls succeed restores the previous value of
 * `late_write_until`. If no run restores this value, the next claim drops the codes.
 *
 * A hint does not change `requested`. If it arrives during a run, the run's end keeps the hint, because `look_at` is then later than the
 * run's claim. `look_at` is therefore computed from the time of the statement, not of the transaction, which may have begun long before the
 * claim. The rows are ordered by KRN, so that two batches cannot deadlock.
 */
export const HINT = `
  insert into reconciliation as r (krn, due_at, look_at, ended_codes)
  select krn, now(), clock_timestamp() + make_interval(secs => $2), ended
    from jsonb_to_recordset($1::jsonb) as hint (krn text, ended text[]) order by krn
  on conflict (krn) do update set due_at = now(), failures = 0, last_error = null, look_at = excluded.look_at,
    ended_codes = array(select distinct unnest(excluded.ended_codes ||
      case when r.late_write_until between ${seenAt('$2')} and clock_timestamp() then '{}' else r.ended_codes end))`;

export const FIND = `
  select failures, personal_data as "personalData", due_at as "dueAt", last_error as "lastError"
    from reconciliation where krn = $1`;

/**
 * Takes users who are due and postpones them, so that other replicas skip them. The statement does not claim the users: only the holder of
 * a user's lock may claim the user.
 */
export const TAKE_DUE = `
  update reconciliation set due_at = now() + make_interval(secs => $2)
   where krn in (select krn from reconciliation where due_at <= now() order by due_at for update skip locked limit $1)
  returning krn, failures`;

/**
 * Claims a user. Drops the ended codes that the vendor reported while it could still carry out an earlier call of ours. The claim ends any
 * earlier run, so a `late_write_until` that is later than the report belongs to a call that failed or whose process was killed. $3: the
 * vendor's replication delay.
 */
export const CLAIM_ONE = `
  update reconciliation r set due_at = now() + make_interval(secs => $2), claimed = ${NEXT_CLAIM},
    ended_codes = case when late_write_until > ${seenAt('$3')} then '{}' else ended_codes end
   where krn = $1
  returning ${CLAIM_ROW}`;

/**
 * Claims a user for a write, after the transactions that have run LOCK_QUEUE for the user. If the user has no profile yet, these
 * transactions may have skipped the user. Once this statement has waited for them, their subscription events are visible, so the first run
 * after the creation of the profile reads them.
 *
 * `before` contains the row as it was before the statement. A row that the statement inserted has an `xmax` of 0.
 */
export const CLAIM_FOR_WRITE = `
  with before as (select late_write_until, personal_data from reconciliation where krn = $1)
  insert into reconciliation as r (krn, due_at, personal_data, late_write_until, claimed)
  select $1, clock_timestamp() + make_interval(secs => $2), true, clock_timestamp() + make_interval(secs => $3), ${NEXT_CLAIM}
    from (select pg_advisory_xact_lock(${queueKey('$1::text')})) as alone
  on conflict (krn) do update set due_at = excluded.due_at, claimed = excluded.claimed, personal_data = true,
    late_write_until = greatest(r.late_write_until, excluded.late_write_until)
  returning krn, claimed, requested, xmax <> 0 as existed, (select late_write_until from before) as "lateWriteUntil",
    coalesce((select personal_data from before), false) as "personalData"`;

/**
 * Ends a claim: restores the values that the claim changed and, if nothing else needs the row, deletes the row. If $8 is true, the row and
 * the changed values are kept, because an earlier attempt of the write may still take effect. The row is also kept if the user was already
 * queued, if a request or a hint arrived during this write, or if this write itself requests enrollments.
 */
export const SETTLE = `
  with mine as (
    select krn, $5::boolean or $8::boolean or requested <> $2 or look_at is not null or $7::text is not null as is_needed
      from reconciliation where krn = $1 and claimed = $6 for update),
  removed as (delete from reconciliation r using mine where r.krn = mine.krn and not is_needed),
  kept as (
    update reconciliation r set due_at = now(), requested = r.requested + 1, failures = 0, last_error = null,
           late_write_until = case when $8 then r.late_write_until else $3 end,
           personal_data = $4 or $8, asked = coalesce($7, r.asked)
      from mine where r.krn = mine.krn and is_needed)
  select krn from mine`;

export const RELEASE = `
  update reconciliation set due_at = now(), late_write_until = case when $3::boolean then $4::timestamptz else late_write_until end
   where krn = $1 and claimed = $2`;

export const NOTE_WRITE = `
  update reconciliation
     set late_write_until = greatest(late_write_until, now() + make_interval(secs => $3)), personal_data = true
   where krn = $1 and claimed = $2
  returning krn`;

export const FORGET_WRITE =
  'update reconciliation set late_write_until = $3, personal_data = $4 where krn = $1 and claimed = $2';

/**
 * Stores what must still be done after a failed run. If $5 is true and no request arrived since the claim, drops the request that the run
 * carried out, and the ended codes that this request superseded.
 *
 * - $3: whether the vendor's state was found to have changed, as in FINISH
 * - $5: whether the run's results contain everything that was requested before the claim
 * - $6: the number of the last request before the claim
 * - $7: the ended codes that the run saw
 */
export const HOLD = `
  update reconciliation
     set look_at = case when $3::boolean then now() + make_interval(secs => $4) else look_at end,
         asked = case when not ($5::boolean and requested = $6) then asked end,
         ended_codes = case when asked is not null and $5::boolean and requested = $6
           then array(select unnest(ended_codes) except select unnest($7::text[])) else ended_codes end
   where krn = $1 and claimed = $2
  returning krn`;

/**
 * Ends a run that reconciled the user, and deletes the row if nothing is left to do. If requests arrived since the claim,
 * the user stays due.
 *
 * - $4: when the user's entitlements next change without an event
 * - $5: whether the vendor's state was found to have changed; it is then read once more after the vendor's replication delay
 * - $7: when the user was claimed; if `late_write_until` or `look_at` is later, the user is due again at that time
 * - $8: the ended codes that the run saw
 */
export const FINISH = `
  with mine as (
    select krn, requested = $2 as is_last, case when late_write_until > $7::timestamptz then late_write_until end as late,
           case when $5::boolean then now() + make_interval(secs => $6) when look_at > $7::timestamptz then look_at end as look
      from reconciliation where krn = $1 and claimed = $3 for update),
  next as (select *, least($4::timestamptz, late, look) as due from mine),
  removed as (delete from reconciliation r using next where r.krn = next.krn and is_last and due is null),
  kept as (
    update reconciliation r
       set due_at = case when is_last then due else r.due_at end, failures = 0, last_error = null, look_at = look,
           asked = case when not is_last then r.asked end,
           personal_data = case when is_last then late is not null else r.personal_data end,
           ended_codes = case
             when look is null then '{}'
             when is_last and r.asked is not null then array(select unnest(r.ended_codes) except select unnest($8::text[]))
             else r.ended_codes end
      from next where r.krn = next.krn and not (is_last and due is null))
  select krn from mine`;

export const POSTPONE = `
  update reconciliation set due_at = now() + make_interval(secs => $4), failures = failures + $5,
    last_error = coalesce($6, last_error)
   where krn = $1 and requested = $2 and claimed = $3`;

export const DELAY = 'update reconciliation set due_at = now() + make_interval(secs => $2) where krn = $1';

export const MEASURE = `
  select (select count(*) from (select from reconciliation where failures > 0 limit 100000) as counted)::integer as failing,
         coalesce(greatest(extract(epoch from now() - (select min(due_at) from reconciliation)), 0), 0)::float8
           as "overdueSeconds"`;
