import { postbackRangeReplayPath, postbackReplayPath } from '@tandem/internal-api';
import { REQUEST_TIMEOUT_HEADER } from '@tandem/http-api';
import { eventually, keepLocks } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { aroundNow, DeliveryLog } from './delivery-log';
import { Dispatcher, serviceToken } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a replay whose deadline passes while it waits for a lock', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;
  let partnerId: string;
  let delivery: { id: string; oid: string };

  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
    endpoint = await EndpointServer.start();
    endpoint.always(answer(200));
    log = new DeliveryLog(dispatcher);
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });
  beforeEach(async () => {
    ({ partnerId } = await dispatcher.createEndpoint(endpoint.url));
    const [sale] = await log.sales(partnerId, 1, 'delivered');
    delivery = { id: (await dispatcher.deliveryOf(sale?.oid ?? ''))?.id ?? '', oid: sale?.oid ?? '' };
  });

  const post = async (path: string, timeoutMs: number, body?: unknown): Promise<Response> =>
    fetch(dispatcher.running.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await serviceToken()}`,
        [REQUEST_TIMEOUT_HEADER]: String(timeoutMs),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: JSON.stringify(body),
    });

  /**
   * Sends a request while a transaction holds the lock that the statement `lock` takes. The request waits for the lock until its deadline
   * has passed. Returns the answer.
   */
  async function answerAfter(lock: string, values: unknown[], send: () => Promise<Response>): Promise<Response> {
    const [running] = await dispatcher.running.nest.get(DataSource).transaction(async (manager) => {
      await keepLocks(manager);
      await manager.query(lock, values);
      const sent = send();
      await eventually(async () => {
        const waiting = await dispatcher.database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(waiting).toHaveLength(1);
      });
      await pause(600);
      return [sent];
    });
    return running as Promise<Response>;
  }

  async function expectNothingReplayed(): Promise<void> {
    const [row] = await dispatcher.database.query<{ replayed_at: Date | null; status: string }>(
      'select replayed_at, status from postback.delivery where id = $1',
      [delivery.id],
    );
    expect(row).toEqual({ replayed_at: null, status: 'delivered' });
    expect(endpoint.about(delivery.oid)).toHaveLength(1);
  }

  it('gets 503 and replays nothing if it is the replay of one delivery', async () => {
    const path = postbackReplayPath(partnerId, 'live', delivery.id);
    const lock = 'select from postback.delivery where id = $1 for update';
    const late = await answerAfter(lock, [delivery.id], () => post(path, 500));
    expect([late.status, await late.json()]).toMatchObject([503, { code: 'service_unavailable' }]);
    await expectNothingReplayed();
  });

  it('gets 503 and replays nothing if it is the replay of a range', async () => {
    const path = postbackRangeReplayPath(partnerId, 'live');
    const body = { ...aroundNow(), status: 'delivered' };
    // The replay of a range skips locked rows. But like every write, it waits if the whole table is locked.
    const lock = 'lock table postback.delivery in share mode';
    const late = await answerAfter(lock, [], () => post(path, 500, body));
    expect([late.status, await late.json()]).toMatchObject([503, { code: 'service_unavailable' }]);
    await expectNothingReplayed();
  });
});
