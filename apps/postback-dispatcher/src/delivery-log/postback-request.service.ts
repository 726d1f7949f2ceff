import { Injectable } from '@nestjs/common';
import { timeOf } from '@tandem/http-api';
import type { Caller, ListenToPostbacks, PostbackRequestPage, PostbackRequestView } from '@tandem/internal-api';
import { headersOf } from '../attempt/attempt.rules';
import { PostbackDispatcherConfig } from '../config';
import { retentionStart } from '../delivery/partition.rules';
import { DeliveryCursors, type LogPosition, requestList } from './delivery-cursor';
import { PostbackRequestRepository, type StoredRequest } from './postback-request.repository';

/** The lowest id, which sorts before all other ids at the same time. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Shows partners the requests of their deliveries, so that they can read new postbacks without an endpoint ("listening"). */
@Injectable()
export class PostbackRequestService {
  constructor(
    private readonly requests: PostbackRequestRepository,
    private readonly cursors: DeliveryCursors,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /**
   * Returns a page of requests after the cursor, in the order in which their deliveries were created, whether or not the partner has an
   * endpoint. Without a cursor, the requests begin at `since` or, without `since`, now. Leaves out failed deliveries of closed sales. A
   * caller that follows `nextCursor` gets no request twice.
   * @throws InvalidCursorError
   */
  async listRequests(caller: Caller, { cursor, since, limit }: ListenToPostbacks): Promise<PostbackRequestPage> {
    const list = requestList(caller);
    const after = cursor === undefined ? null : this.cursors.decode(list, cursor);
    // The end must be read before the page: then the page's statement sees every delivery that was created before the end.
    const end = await this.requests.findEnd();
    const start = after ?? { createdUs: since === undefined ? end : this.microsecondsOf(since), id: FIRST_ID };
    const found = await this.requests.find(caller, { after: start, end, limit: limit + 1 });
    const items = found.slice(0, limit);
    const hasMore = found.length > limit;
    const next = hasMore ? (items.at(-1) as LogPosition) : laterOf(start, { createdUs: end, id: FIRST_ID });
    return { items: items.map((item) => viewOf(item, caller)), nextCursor: this.cursors.encode(list, next), hasMore };
  }

  /**
   * Converts `since` to microseconds since 1970. Replaces a time before the retention with the start of the retention, because older
   * deliveries may already be deleted.
   */
  private microsecondsOf(since: string): string {
    const retained = retentionStart(new Date(), this.config.POSTBACK_RETENTION_DAYS).getTime();
    return String(Math.max(timeOf(since).getTime(), retained) * 1000);
  }
}

const laterOf = (one: LogPosition, other: LogPosition): LogPosition =>
  BigInt(one.createdUs) >= BigInt(other.createdUs) ? one : other;

const viewOf = ({ id, kind, oid, createdAt, body }: StoredRequest, { environment }: Caller): PostbackRequestView => ({
  id,
  kind,
  oid,
  createdAt: createdAt.toISOString(),
  headers: headersOf({ id, environment, kind }),
  body,
});
