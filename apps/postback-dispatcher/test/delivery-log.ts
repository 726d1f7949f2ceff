import {
  postbackDeliveriesPath,
  type PostbackDeliveryPage,
  type PostbackDeliveryView,
  postbackRangeReplayPath,
  postbackReplayPath,
  postbackTestPath,
} from '@tandem/internal-api';
import type { SaleCompleted } from '@tandem/contracts';
import { eventually } from '@tandem/testing';
import { type Answer, type DeliveryRow, Dispatcher, saleOf } from './dispatcher';
import { EndpointServer } from './endpoint-server';

/** Calls the API of the delivery log as partner-gateway does, and creates deliveries for tests. */
export class DeliveryLog {
  constructor(private readonly dispatcher: Dispatcher) {}

  list(partnerId: string, query: Record<string, string> | string = '', environment = 'live'): Promise<Answer> {
    const search = new URLSearchParams(query).toString();
    return this.dispatcher.request('GET', `${postbackDeliveriesPath(partnerId, environment)}?${search}`);
  }

  /** Returns a page. Throws unless the status of the answer is 200. */
  async page(
    partnerId: string,
    query: Record<string, string> = {},
    environment = 'live',
  ): Promise<PostbackDeliveryPage> {
    const { status, body, text } = await this.list(partnerId, query, environment);
    if (status !== 200) throw new Error(`the request for a page was answered with ${status}: ${text}`);
    return body as unknown as PostbackDeliveryPage;
  }

  /** Reads the whole log, page by page. */
  async walk(partnerId: string, query: Record<string, string> = {}): Promise<PostbackDeliveryView[]> {
    const items: PostbackDeliveryView[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: PostbackDeliveryPage = await this.page(partnerId, cursor === '' ? query : { ...query, cursor });
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    return items;
  }

  replay(partnerId: string, id: string, environment = 'live'): Promise<Answer> {
    return this.dispatcher.request('POST', postbackReplayPath(partnerId, environment, id));
  }

  replayRange(partnerId: string, body: unknown, environment = 'live'): Promise<Answer> {
    return this.dispatcher.request('POST', postbackRangeReplayPath(partnerId, environment), body);
  }

  countReplay(partnerId: string, query: Record<string, string>, environment = 'live'): Promise<Answer> {
    const search = new URLSearchParams(query).toString();
    return this.dispatcher.request('GET', `${postbackRangeReplayPath(partnerId, environment)}?${search}`);
  }

  test(partnerId: string, environment = 'live'): Promise<Answer> {
    return this.dispatcher.request('POST', postbackTestPath(partnerId, environment));
  }

  settled(oid: string, status: string): Promise<DeliveryRow> {
    return eventually(async () => {
      const row = await this.dispatcher.deliveryOf(oid);
      expect(row?.status).toBe(status);
      return row as DeliveryRow;
    });
  }

  /** Publishes sales of a partner, and waits until their deliveries have the given status. */
  async sales(partnerId: string, count: number, status: string, environment = 'live'): Promise<SaleCompleted[]> {
    const sales = Array.from({ length: count }, () =>
      saleOf(partnerId, { environment: environment as SaleCompleted['environment'] }),
    );
    await this.dispatcher.publish(...sales);
    for (const { oid } of sales) await this.settled(oid, status);
    return sales;
  }

  /** Inserts deliveries of any age and status. Their partitions must exist. @returns their ids, newest first */
  async insert(partnerId: string, rows: readonly { createdAt: string; status: string }[]): Promise<string[]> {
    const inserted = await this.dispatcher.database.query<{ id: string }>(
      `with added as (
         insert into postback.delivery (id, created_at, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
         select gen_random_uuid(), r.created_at, $1, 'live', e.id, 'sub_' || gen_random_uuid(), 'event', '{"oid":"x"}', r.status,
           case when r.status = 'pending' then now() + interval '1 hour' end
         from unnest($2::timestamptz[], $3::text[]) as r (created_at, status)
         left join postback.endpoint e on e.partner_id = $1 and e.environment = 'live'
         returning id, created_at)
       select id from added order by created_at desc, id desc`,
      [partnerId, rows.map(({ createdAt }) => createdAt), rows.map(({ status }) => status)],
    );
    return inserted.map(({ id }) => id);
  }
}

/** The objects for the tests of a suite. The tests share `dispatcher` and `log`; each test has a new `endpoint`. */
export interface DispatcherWorld {
  dispatcher: Dispatcher;
  log: DeliveryLog;
  endpoint: EndpointServer;
}

/**
 * Starts postback-dispatcher before the tests of a suite, and stops it after them.
 * @returns an object whose fields are set when a test begins
 */
export function useDispatcher(overrides: NodeJS.ProcessEnv = {}): DispatcherWorld {
  const world = {} as DispatcherWorld;
  beforeAll(async () => {
    world.dispatcher = await Dispatcher.start(overrides);
    world.log = new DeliveryLog(world.dispatcher);
  });
  afterAll(() => world.dispatcher?.stop());
  beforeEach(async () => {
    world.endpoint = await EndpointServer.start();
  });
  afterEach(() => world.endpoint.stop());
  return world;
}

/** Returns the range of an hour around the current time, for replays. */
export const aroundNow = (): { from: string; to: string } => ({
  from: new Date(Date.now() - 1_800_000).toISOString(),
  to: new Date(Date.now() + 1_800_000).toISOString(),
});
