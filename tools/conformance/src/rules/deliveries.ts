import { rule, type Section } from './rule';

const list = (title: string): string => `list-deliveries.int.spec.ts › GET …/deliveries › ${title}`;
const one = (title: string): string => `replay-delivery.int.spec.ts › POST …/deliveries/{id}/replay › ${title}`;
const range = (title: string): string => `replay-range.int.spec.ts › POST …/deliveries/replay › ${title}`;
const test = (title: string): string => `test-send.int.spec.ts › POST …/test › ${title}`;
const gateway = (title: string): string => `postback-deliveries.int.spec.ts › the delivery log of a partner › ${title}`;
const every = (title: string): string => gateway(`%s /partner/postback%s › ${title}`);

/** The delivery log, replay and the test send. */
export const DELIVERIES: Section = {
  title: 'The delivery log',
  rules: [
    rule(
      'deliveries.list',
      '`GET /partner/postback/deliveries?cursor=&status=&limit=&oid=&refId=` answers `{"items","nextCursor","hasMore"}`.',
      list('shows a delivery with each attempt, and nothing else'),
      list('gives every delivery once, newest first, %d at a time'),
      list('gives only those that are %s'),
      list('gives the delivery of a sale, in the environment that is asked for'),
      list("gives the deliveries of a partner's own reference, page by page, and null for a sale without one"),
      list('with a cursor › of another partner, environment, status, sale or reference answers 400'),
      list('with a cursor › that is cut, longer, empty, garbage or 10 kB long answers 400'),
      list('with a cursor › with any character changed answers 400'),
      gateway('GET /partner/postback/deliveries › passes cursor, status, oid, refId and limit on'),
      every('asks for the partner and the environment of the token, by a service token'),
    ),
    rule(
      'deliveries.item',
      'An item is `{"id","oid","refId","status","createdAt","deliveredAt","nextAttemptAt","attempts"}`, its status `pending`, `delivered`, `failed` or `held`.',
      list('shows a delivery with each attempt, and nothing else'),
      list('tells when a pending delivery is tried next, and of no attempt of a held one'),
    ),
    rule(
      'deliveries.attempts',
      'An attempt is `{"number","at","status","latencyMs","error","response"}`.',
      list('shows a delivery with each attempt, and nothing else'),
      list('keeps the first 2 kB of an answer'),
    ),
    rule(
      'deliveries.unknown-status',
      'An unknown status is 422.',
      list('answers 422 to ?%s'),
      gateway('GET /partner/postback/deliveries › answers 422 to ?%s, without asking'),
    ),
    rule(
      'deliveries.replay-one',
      '`POST …/deliveries/{id}/replay` answers 202 `{"id"}`.',
      one('sends one that was delivered once more, under the same webhook-id'),
      one('gives one that had used up its attempts all of them again, and counts on'),
      one('counts no attempt twice when it comes while one is under way'),
      one('twenty at once of the same delivery number each attempt once'),
      one("does not find what is unknown, another partner's, of the other environment, or no id at all"),
    ),
    rule(
      'deliveries.replay-range',
      '`POST …/deliveries/replay` with `{"from","to","status"?}` answers 202 `{"count"}`.',
      range('sends what failed and what is held, and nothing else, when no status is given'),
      range('sends only those that are %s when that is asked'),
      range('begins with from and ends before to, to the millisecond that is shown'),
      range('answers 422 to %s'),
      range('sends each delivery once when two come at the same time'),
      range('sends what is left when it is repeated after it was cut off in the middle'),
    ),
    rule(
      'deliveries.held-replayed',
      'Held events are sent by a replay after the configuration is enabled again.',
      'replay-range.int.spec.ts › a partner whose endpoint was away › loses no sale: 20 exhausted in a row disable it, the rest is held, and a replay catches up',
      one('answers 409 on a disabled configuration, and leaves it held'),
    ),
    rule(
      'deliveries.test',
      '`POST /partner/postback/test` sends a sample whose `oid` is `test_…`, and answers `{"delivered","status","latencyMs","error","response"}`.',
      test('sends a sample as a sale is sent, and tells what came of it'),
      test('gives up after the time of an attempt'),
      test('is once each time, never the same sample, and in no log'),
      gateway('POST /partner/postback/test › holds up nobody else while endpoints take their time'),
    ),
  ],
};
