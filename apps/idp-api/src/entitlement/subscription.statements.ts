/**
 * Saves the users of subscriptions. A subscription belongs to the user whom the newest event with a KRN names; of events with the same
 * time, the one that arrived last. The select of `formerKrn` sees the row as it was before the statement. `LOCK` must have locked the row
 * in an earlier statement: otherwise, `formerKrn` would miss a user whom a concurrent transaction has just saved.
 */
export const UPSERT = `
  insert into subscription as s (id, krn, krn_at)
  select id, krn, case when krn is not null then at end
    from (select distinct on (id) id, krn, at
            from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as given (id, krn, at, n)
           order by id, krn is null, at desc, n desc) as newest
   order by id
  on conflict (id) do update set
    krn = case when excluded.krn_at >= coalesce(s.krn_at, '-infinity') then excluded.krn else s.krn end,
    krn_at = greatest(s.krn_at, excluded.krn_at)
  returning s.id, s.krn, (select former.krn from subscription former where former.id = s.id) as "formerKrn"`;

const CAPTURED = `e.type = 'purchased' and e.payment_status = 'captured'`;

/** The condition that the stored event `old` and the given event `e` have the same content. */
const IS_SAME = `old.type = e->>'type' and old.occurred_at = (e->>'occurredAt')::timestamptz
    and old.effective_at is not distinct from (e->>'effectiveAt')::timestamptz
    and to_jsonb(old.entitlements) is not distinct from nullif(e->'entitlements', 'null')
    and old.payment_status is not distinct from e->>'paymentStatus'`;

/**
 * Adds events. Skips an event that is already stored, or that repeats an earlier event of the batch, for example because an operator replayed
 * a webhook: otherwise the repetition would count as the event that arrived last. Two events can be equal even if only one of them names the
 * user. Returns the users who hold receipts of the subscriptions, because they must be reconciled too, and the subscriptions to which a
 * captured purchase was added.
 */
export const INSERT = `
  with added as (
  insert into subscription_event (subscription_id, type, occurred_at, effective_at, entitlements, payment_status)
  select e->>'subscriptionId', e->>'type', (e->>'occurredAt')::timestamptz, (e->>'effectiveAt')::timestamptz,
         case when jsonb_typeof(e->'entitlements') = 'array'
              then array(select jsonb_array_elements_text(e->'entitlements')) end,
         e->>'paymentStatus'
    from (select event - 'krn' as e, min(n) as n
            from jsonb_array_elements($1::jsonb) with ordinality as batch (event, n) group by 1) as given
   where not exists (select from subscription_event old where old.subscription_id = e->>'subscriptionId' and ${IS_SAME})
   order by n
  returning subscription_id, type, payment_status)
  select array(select distinct krn from subscription_receipt where subscription_id in
               (select e->>'subscriptionId' from jsonb_array_elements($1::jsonb) as given (e))) as holders,
         array(select e.subscription_id from added e where ${CAPTURED}) as purchased`;

/** How long a subscription is kept after its end or after the arrival of its last event, whichever is later. */
const KEPT_AFTER_END = '13 months';

const START = `(e.type = 'renewed' or ${CAPTURED})`;
const END = `e.type not in ('purchased', 'renewed', 'plan_changed')`;

/**
 * Selects the time at which a subscription is deleted if no further event arrives. The time is null while the subscription is paid and no
 * end is known: a payment was captured, and the newest start is newer than the newest end. Of a start and an end with the same time, the
 * end counts as newer, as in subscription.rules.ts.
 *
 * @param id an SQL expression
 */
const forgetAt = (id: string): string => `
  (select case
            when bool_or(${CAPTURED})
             and max(e.occurred_at) filter (where ${START}) > coalesce(max(e.occurred_at) filter (where ${END}), '-infinity')
            then null
            else greatest(now(), max(greatest(e.occurred_at, e.effective_at)) filter (where ${END})) + interval '${KEPT_AFTER_END}'
          end
     from subscription_event e where e.subscription_id = ${id})`;

export const SET_AGE = `
  update subscription s set forget_at = aged.at
    from (select id, ${forgetAt('given.id')} as at from (select distinct unnest($1::text[]) as id) as given) as aged
   where s.id = aged.id and (s.forget_at is not null or aged.at is not null)`;

/**
 * The condition for deleting a subscription whose `forget_at` has passed. Older releases of the app store events, such as a renewal, without
 * changing `forget_at`. So the time is computed again, and the subscription is kept if the computed time is null. A subscription with a
 * receipt is kept too: if the subscription's end were deleted, the receipt would be valid again.
 */
export const FORGETTABLE = `${forgetAt('subscription.id')} is not null
  and not exists (select 1 from subscription_receipt r where r.subscription_id = subscription.id)`;

/**
 * Locks subscriptions, or inserts them if they are new, in the order of their ids, so that two transactions cannot deadlock. Transactions
 * that add events or receipts of the same subscription thus run one after the other. `forget_at` is never set to an earlier time, because
 * the subscription may end more than 13 months from now.
 */
export const LOCK = `
  insert into subscription as s (id, forget_at)
  select distinct id, now() + interval '${KEPT_AFTER_END}' from unnest($1::text[]) as given (id) order by id
  on conflict (id) do update set forget_at = case when s.forget_at is not null then greatest(s.forget_at, excluded.forget_at) end`;

/**
 * Saves receipts. Receipts of the same user, subscription and time share one row, which has the entitlements of all of them, even if they
 * arrive in different requests.
 */
export const INSERT_RECEIPTS = `
  insert into subscription_receipt as r (krn, subscription_id, issued_at, entitlements)
  select $1, given.id, given.at, array_agg(distinct entitlement)
    from jsonb_to_recordset($2::jsonb) as given (id text, at timestamptz, entitlements jsonb),
         jsonb_array_elements_text(given.entitlements) as entitlement
   group by given.id, given.at
  on conflict (krn, subscription_id, issued_at) do update set
    entitlements = array(select unnest(r.entitlements) union select unnest(excluded.entitlements))`;

export const FIND_USERS = `
  select krn from subscription where id = $1 and krn is not null
   union select krn from subscription_receipt where subscription_id = $1
   order by krn limit $2`;
