import { CLOSURE_EVENT, UNSENT_ERRORS } from '../attempt/attempt.rules';

/**
 * Returns an SQL condition that is true if the endpoint accepted the postback with this attempt (a 2xx status), or may have accepted it
 * because the request was sent but no status arrived. In both cases, the partner may have booked the sale, and must learn of the refund. An
 * endpoint that answers with any other status has refused the postback.
 *
 * @param status an SQL expression for the HTTP status of the attempt
 * @param error an SQL expression for the error of the attempt
 */
export const mayBeAccepted = (status: string, error: string): string => `
  (${status} between 200 and 299
   or ${status} is null and not ${error} like any (array['${UNSENT_ERRORS.map((text) => `${text}%`).join("', '")}']))`;

/**
 * How long a notice waits if it is not certain that the endpoint accepted the postback. The postback may still be in flight, or its attempt
 * may just have timed out. The endpoint should handle the postback before the notice arrives, because a shop ignores a notice of a sale
 * that it does not know.
 */
const UNCONFIRMED_WAIT = `interval '1 minute'`;

/** Returns an SQL expression that formats a time in UTC as JavaScript's `toISOString` does. */
const isoTime = (time: string): string => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The body of a closure notice: compact JSON, with the fields in this order. The notice contains no data of the sale that the postback did
 * not contain.
 */
const BODY = `concat('{"event":"${CLOSURE_EVENT}","oid":', to_json(c.oid), ',"sharedId":', to_json(coalesce(c.ref_id, '')),
  ',"status":', to_json(c.closed_by), ',"at":"', ${isoTime('c.closed_at')}, '"}')`;

/** An SQL expression for the id of the notice about the closed sale `c`: the id that `closureNoticeId` returns. */
const NOTICE_ID = `encode(substring(
      sha256(convert_to(concat_ws(':', 'closure', c.environment, c.oid, c.closed_by), 'UTF8')) for 16), 'hex')::uuid`;

/**
 * Returns `with` expressions that add a closure notice for each of the given sales, if the partner has opted in and has no notice of this
 * closing yet. A notice is held if the endpoint is disabled. If not, it is due immediately, or after UNCONFIRMED_WAIT. How the sale was
 * closed is read from the row of the delivery, which the transaction has locked. The row in `sale_delivery` is not used, because it may
 * have changed since the statement began. If the delivery was dropped, the closing is read from the event. The id is a hash of the
 * environment, the sale and the closing. A notice that is added again after a restore from a backup therefore has the same id. There are so
 * few notices that their ids need not be ordered by time.
 *
 * @param sales a select of the closed sales that get a notice, with at most one row for each sale, and with the columns `oid`,
 *   `environment`, `partner_id`, `ref_id`, `event_id`, `traceparent`, `status` (the status of the delivery), `closed_by` and `closed_at`
 */
export const addClosureNotices = (sales: string): string => `
  noticed as (
    insert into closure_notice (oid, environment, closing, delivery_id)
    select c.oid, c.environment, c.closed_by, ${NOTICE_ID}
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
      case when e.status = 'active'
        then clock_timestamp() + case when c.status = 'delivered' then interval '0' else ${UNCONFIRMED_WAIT} end end
    from noticed n join (${sales}) c using (oid, environment)
    join endpoint e on e.partner_id = c.partner_id and e.environment = c.environment
    returning id, endpoint_id, partner_id, oid, status)`;
