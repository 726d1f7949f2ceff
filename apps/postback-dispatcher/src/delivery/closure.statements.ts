/** The `event` of a notice's body, and the value of its header `X-Event`. */
export const CLOSURE_EVENT = 'sale.closed';

/** A text in UTC as JavaScript writes it. */
const isoTime = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The body, compact, its fields in this order. It says no more of the sale than its postback did. */
const BODY = `concat('{"event":"${CLOSURE_EVENT}","oid":', to_json(c.oid), ',"sharedId":', to_json(coalesce(c.ref_id, '')),
  ',"status":', to_json(c.closed_by), ',"at":"', ${isoTime('c.closed_at')}, '"}')`;

/**
 * Expressions of a `with` that add a notice for each of some closed sales: one for each closing, and only for partners that want notices. It is due
 * now if the endpoint is enabled, held if not. The closing is read from the delivery, whose row the transaction has locked: the register may have
 * changed since the statement began. The ids are random: so few rows need not be together in the index.
 *
 * @param sales a select of the deliveries of sales whose postback was accepted: `oid`, `environment`, `partner_id`, `ref_id`, `event_id`,
 *   `traceparent`, `closed_by`, `closed_at`
 */
export const addClosureNotices = (sales: string): string => `
  noticed as (
    insert into closure_notice (oid, environment, closing, delivery_id)
    select c.oid, c.environment, c.closed_by, gen_random_uuid()
    from (${sales}) c
    join endpoint e on e.partner_id = c.partner_id and e.environment = c.environment and e.notify_closures
    order by c.oid, c.environment
    on conflict (oid, environment, closing) do nothing
    returning oid, environment, delivery_id),
  notice as (
    insert into delivery
      (id, kind, partner_id, environment, endpoint_id, oid, ref_id, event_id, traceparent, body, status, next_attempt_at)
    select n.delivery_id, 'closure', c.partner_id, c.environment, e.id, c.oid, c.ref_id, c.event_id, c.traceparent, ${BODY},
      case when e.status = 'active' then 'pending' else 'held' end,
      case when e.status = 'active' then clock_timestamp() end
    from noticed n join (${sales}) c using (oid, environment)
    join endpoint e on e.partner_id = c.partner_id and e.environment = c.environment
    returning id, endpoint_id, status)`;
