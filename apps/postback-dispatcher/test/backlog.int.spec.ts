import { eventually, keepLocks } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { Workers } from '../src/dispatch/workers';
import { aroundNow, DeliveryLog } from './delivery-log';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

const BACKLOG = 20_000;

/** How long these tests wait: thousands of deliveries may take long on a busy machine. */
const PATIENT = { timeoutMs: 80_000 };
jest.setTimeout(180_000);

describe('a partner with a large backlog', () => {
  let dispatcher: Dispatcher;
  let log: DeliveryLog;
  let slow: EndpointServer;
  let quick: EndpointServer;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_ENDPOINT_CONCURRENCY: '2' });
    log = new DeliveryLog(dispatcher);
  });
  beforeEach(async () => {
    slow = await EndpointServer.start();
    quick = await EndpointServer.start();
  });
  afterEach(async () => {
    await slow.stop();
    await quick.stop();
  });
  afterAll(() => dispatcher?.stop());

  const addPending = (partnerId: string, count: number) =>
    log.insert(
      partnerId,
      Array.from({ length: count }, () => ({ createdAt: new Date().toISOString(), status: 'pending' })),
    );
  const countOf = async (partnerId: string, status: string): Promise<number> => {
    const [row] = await dispatcher.database.query<{ count: number }>(
      `select count(*)::int as count from postback.delivery where partner_id = $1 and status = $2`,
      [partnerId, status],
    );
    return row?.count ?? 0;
  };
  /** Locks the newest pending delivery of a partner while `work` runs. */
  const whileLocked = <T>(partnerId: string, work: () => Promise<T>): Promise<T> =>
    dispatcher.running.nest.get(DataSource).transaction(async (manager) => {
      const newest = `select from delivery where partner_id = $1 and status = 'pending' order by created_at desc, id desc limit 1 for update`;
      await keepLocks(manager);
      await manager.query(newest, [partnerId]);
      return work();
    });

  it('has its backlog replayed without delaying other results', async () => {
    const [one, other] = [await dispatcher.createEndpoint(slow.url), await dispatcher.createEndpoint(quick.url)];
    let release = (): void => undefined;
    slow.always(() => undefined);
    slow.next((_, response) => {
      release = () => void response.end();
    });
    const inFlight = saleOf(one.partnerId);
    await dispatcher.publish(inFlight);
    await eventually(() => expect(slow.inFlight).toBe(1));
    await addPending(one.partnerId, BACKLOG);
    const { replaying } = await whileLocked(one.partnerId, async () => {
      const started = log.replayRange(one.partnerId, { ...aroundNow(), status: 'pending' });
      await eventually(async () => {
        const rows = await dispatcher.database.query(
          `select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%update delivery%'
             and pid <> pg_backend_pid()`,
        );
        expect(rows.length).toBeGreaterThan(0);
      });
      release();
      const sales = Array.from({ length: 5 }, () => saleOf(other.partnerId));
      await dispatcher.publish(...sales);
      for (const { oid } of [inFlight, ...sales]) await log.settled(oid, 'delivered');
      return { replaying: started };
    });
    expect((await replaying).status).toBe(202);
  });

  it('has its backlog held when the endpoint is disabled, without delaying other partners’ deliveries', async () => {
    const [one, other] = [await dispatcher.createEndpoint(slow.url), await dispatcher.createEndpoint(quick.url)];
    await addPending(one.partnerId, BACKLOG);
    slow.always(answer(410));
    await whileLocked(one.partnerId, async () => {
      await log.sales(one.partnerId, 1, 'failed');
      await log.sales(other.partnerId, 5, 'delivered');
      await eventually(async () => expect(await countOf(one.partnerId, 'held')).toBe(BACKLOG - 1), PATIENT);
    });
    await eventually(async () => expect(await countOf(one.partnerId, 'held')).toBe(BACKLOG), PATIENT);
  });

  it('can save the configuration while the backlog is being held', async () => {
    const { partnerId } = await dispatcher.createEndpoint(slow.url);
    await addPending(partnerId, BACKLOG);
    slow.next(answer(410));
    await whileLocked(partnerId, async () => {
      await log.sales(partnerId, 1, 'failed');
      await eventually(async () => expect(await countOf(partnerId, 'held')).toBeGreaterThan(0));
      const saved = await dispatcher.save(partnerId, { url: slow.url, authMethod: 'Bearer' });
      expect(saved.body).toMatchObject({ status: 'active' });
      await log.sales(partnerId, 1, 'delivered');
    });
  });

  it('gets every delivery, with at most 500 of them queued in memory at a time', async () => {
    const { partnerId } = await dispatcher.createEndpoint(slow.url);
    slow.always(() => undefined);
    const [{ id } = { id: '' }] = await dispatcher.database.query<{ id: string }>(
      'select id from postback.endpoint where partner_id = $1',
      [partnerId],
    );
    const workers = dispatcher.running.nest.get(Workers, { strict: false });
    let most = 0;
    const look = (): void => void (most = Math.max(most, workers.find(id)?.queue.length ?? 0));
    const looking = setInterval(look, 1);
    try {
      const count = 2_000;
      for (let published = 0; published < count; published += 100) {
        await dispatcher.publish(...Array.from({ length: 100 }, () => saleOf(partnerId)));
      }
      await eventually(async () => expect(await countOf(partnerId, 'pending')).toBe(count), PATIENT);
      look();
      expect(most).toBe(500);
      slow.always(answer(200));
      slow.answerAll();
      await eventually(async () => expect(await countOf(partnerId, 'delivered')).toBe(count), PATIENT);
      expect(most).toBe(500);
      expect(slow.received).toHaveLength(count);
    } finally {
      clearInterval(looking);
    }
  });
});
