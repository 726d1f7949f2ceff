import { pendingRule, type Section } from './rule';

const LOG = 'the delivery log is being built';

/** The delivery log, replay and the test send. */
export const DELIVERIES: Section = {
  title: 'The delivery log',
  rules: [
    pendingRule(
      LOG,
      'deliveries.list',
      '`GET /partner/postback/deliveries?cursor=&status=&limit=` answers `{"items","nextCursor","hasMore"}`.',
    ),
    pendingRule(
      LOG,
      'deliveries.item',
      'An item is `{"id","oid","status","createdAt","deliveredAt","nextAttemptAt","attempts"}`, its status `pending`, `delivered`, `failed` or `held`.',
    ),
    pendingRule(LOG, 'deliveries.attempts', 'An attempt is `{"number","at","status","latencyMs","error","response"}`.'),
    pendingRule(LOG, 'deliveries.unknown-status', 'An unknown status is 422.'),
    pendingRule(LOG, 'deliveries.replay-one', '`POST …/deliveries/{id}/replay` answers 202 `{"id"}`.'),
    pendingRule(
      LOG,
      'deliveries.replay-range',
      '`POST …/deliveries/replay` with `{"from","to","status"?}` answers 202 `{"count"}`.',
    ),
    pendingRule(
      LOG,
      'deliveries.held-replayed',
      'Held events are sent by a replay after the configuration is enabled again.',
    ),
    pendingRule(
      LOG,
      'deliveries.test',
      '`POST /partner/postback/test` sends a sample whose `oid` is `test_…`, and answers `{"delivered","status","latencyMs","error","response"}`.',
    ),
  ],
};
