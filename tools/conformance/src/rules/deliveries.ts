import { rule, type Section } from './rule';

/** The notices of refunds and chargebacks for partners that opt in. */
export const CLOSURES: Section = {
  title: 'Notices of refunds and chargebacks',
  rules: [
    rule(
      'closures.opt-in',
      'A partner gets notices only after `POST /partner/postback` with `notifyClosures: true`. The value is false at first; a save without `notifyClosures` keeps the stored value.',
    ),
    rule(
      'closures.notice',
      'A notice is `{"event":"sale.closed","oid","sharedId","status","at"}` with the header `X-Event: sale.closed`, authenticated and signed like a postback.',
    ),
    rule(
      'closures.order',
      'A notice is sent only if the endpoint has accepted the postback of the sale, or may have accepted it, because the answer to an attempt did not arrive. Once the delivery of the postback has been deleted at the end of its retention, the platform no longer knows whether the endpoint accepted the postback, and sends the notice.',
    ),
    rule('closures.once', 'A sale has at most one notice of a refund and one of a chargeback.'),
    rule('closures.log', 'A notice is retried, held, replayed and logged like a postback, with the `kind` `closure`.'),
  ],
};

/** Postbacks of test sales for partners without a public address. */
export const LISTENING: Section = {
  title: 'Listening without a public address',
  rules: [
    rule(
      'listen.page',
      '`GET /partner/postback/listen?cursor=&since=&limit=` answers `{"items","nextCursor","hasMore"}`, oldest first; an item is `{"id","kind","oid","createdAt","headers","body"}`. Without `cursor` and `since`, the list begins with deliveries that are created after the request.',
    ),
    rule(
      'listen.test-only',
      'Only a test token with the scope `postback:listen` can listen; no live token can have this scope.',
    ),
    rule(
      'listen.bytes',
      'The body and the headers of an item are those that an endpoint gets, without `Authorization` and the signature.',
    ),
    rule(
      'listen.once',
      'A client that follows the cursor gets each postback and notice exactly once, whatever the order in which transactions commit.',
    ),
    rule(
      'listen.no-effect',
      'Listening needs no postback configuration, and does not change which postbacks an endpoint gets.',
    ),
    rule('listen.limit', 'Each call counts towards the token’s limit of reads.'),
    rule(
      'listen.forward',
      '`tandem-partner listen` forwards each postback and notice to a port of its machine, signed as for an endpoint. After an outage, the command continues without losing or repeating any of them.',
    ),
  ],
};

/** The delivery log, replays, and the sample that `POST /partner/postback/test` sends. */
export const DELIVERIES: Section = {
  title: 'The delivery log',
  rules: [
    rule(
      'deliveries.list',
      '`GET /partner/postback/deliveries?cursor=&status=&failing=&limit=&oid=&refId=` answers `{"items","nextCursor","hasMore"}`.',
    ),
    rule(
      'deliveries.item',
      'An item is `{"id","oid","kind","refId","status","createdAt","deliveredAt","nextAttemptAt","error","attempts"}`; `status` is `pending`, `delivered`, `failed` or `held`.',
    ),
    rule('deliveries.paused', '`nextAttemptAt` is not earlier than the end of the endpoint’s pause.'),
    rule('deliveries.attempts', 'An attempt is `{"number","at","status","latencyMs","error","response"}`.'),
    rule('deliveries.unknown-status', 'An unknown status gets 422.'),
    rule('deliveries.replay-one', '`POST /partner/postback/deliveries/{id}/replay` answers 202 `{"id"}`.'),
    rule(
      'deliveries.replay-range',
      '`POST /partner/postback/deliveries/replay` with `{"from","to","status"?}` answers 202 `{"count"}`.',
    ),
    rule(
      'deliveries.count-replay',
      '`GET /partner/postback/deliveries/replay?from=&to=&status=` answers `{"count"}`, the number of deliveries that a `POST` to this path would replay now, and replays none.',
    ),
    rule(
      'deliveries.replay-closed',
      'A request to replay a delivery whose sale was refunded or charged back gets 409 `sale_closed`; the replay of a range skips such deliveries.',
    ),
    rule(
      'deliveries.held-replayed',
      'After a disabled configuration is enabled again, a replay sends its held deliveries.',
    ),
    rule(
      'deliveries.test',
      '`POST /partner/postback/test` sends a sample whose `oid` is `test_…`, and answers `{"delivered","status","latencyMs","error","response"}`.',
    ),
  ],
};
