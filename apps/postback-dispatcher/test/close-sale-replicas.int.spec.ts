import { once } from 'node:events';
import type { SaleCompleted } from '@tandem/contracts';
import { eventually, type TestDatabase } from '@tandem/testing';
import { DispatchService } from '../src/dispatch/dispatch.service';
import { DueRepository } from '../src/dispatch/due.repository';
import type { Endpoint } from '../src/endpoint/endpoint.entity';
import { EndpointRepository } from '../src/endpoint/endpoint.repository';
import { createPostbackDatabase, Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';
import { startProcess } from './forked-dispatcher';

/** After its first attempt a delivery waits for longer than the tests take. */
const SETTINGS = {
  POSTBACK_RETRY_SCHEDULE_SECONDS: '0,3600',
  POSTBACK_LEASE_MS: '1000',
  POSTBACK_ENDPOINT_CONCURRENCY: '1',
  POSTBACK_BREAKER_THRESHOLD: '1000',
};

describe('sale.closed at several replicas', () => {
  let database: TestDatabase;
  let endpoint: EndpointServer;
  let started: Dispatcher[] = [];

  const start = async (): Promise<Dispatcher> => {
    const dispatcher = await Dispatcher.start(SETTINGS, database);
    started.push(dispatcher);
    return dispatcher;
  };

  beforeEach(async () => {
    database = await createPostbackDatabase();
    endpoint = await EndpointServer.start();
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((dispatcher) => dispatcher.stop()));
    await endpoint.stop();
    await database.drop();
  });

  const counts = async (): Promise<Record<string, number>> => {
    const rows = await database.query<{ status: string; count: number }>(
      `select status || coalesce(' ' || closed_by, '') as status, count(*)::int as count from postback.delivery group by 1`,
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  };
  const shardsOwned = async (owners: number): Promise<void> =>
    eventually(async () => {
      const rows = await database.query(`select distinct owner from postback.shard where owner is not null`);
      expect(rows).toHaveLength(owners);
    });

  it('stops every delivery when both events of a sale come at the same time, in either order [sales.closed-stops-postback]', async () => {
    const [one, two] = [await start(), await start()];
    await shardsOwned(2);
    const partners = await Promise.all(Array.from({ length: 8 }, () => one.createEndpoint(endpoint.url)));
    endpoint.always(answer(500));
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      const sales = partners.flatMap(({ partnerId }) => [saleOf(partnerId), saleOf(partnerId)]);
      const works = [() => one.publish(...sales), () => two.close(sales)];
      await Promise.all((round % 2 === 0 ? works : works.reverse()).map((work) => work()));
    }
    await eventually(async () => expect(await counts()).toEqual({ 'failed refunded': rounds * partners.length * 2 }));
    // What was tried had its one attempt.
    const webhookIds = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(webhookIds).size).toBe(webhookIds.length);
  });

  it('stops what waits in the memory of the replica that owns the endpoint, whichever handles the event', async () => {
    const [one] = [await start(), await start()];
    await shardsOwned(2);
    const partners = await Promise.all(Array.from({ length: 12 }, () => one.createEndpoint(endpoint.url)));
    endpoint.always(() => undefined);
    const first = partners.map(({ partnerId }) => saleOf(partnerId));
    await one.publish(...first);
    await eventually(() => expect(endpoint.received).toHaveLength(first.length));
    const waiting = partners.map(({ partnerId }) => saleOf(partnerId));
    await one.publish(...waiting);
    await eventually(async () => expect(await counts()).toEqual({ pending: 24 }));
    await one.close(waiting);
    await eventually(async () => expect(await counts()).toEqual({ pending: 12, 'failed refunded': 12 }));
    await heard(one);
    endpoint.always(answer(200));
    endpoint.answerAll();
    await eventually(async () => expect(await counts()).toMatchObject({ delivered: 13, 'failed refunded': 12 }));
    for (const { oid } of waiting) expect(endpoint.about(oid)).toEqual([]);
  });

  it('stops what waits in memory also when the notification was lost', async () => {
    const dispatcher = await start();
    await shardsOwned(1);
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(() => undefined);
    const [first, second] = [saleOf(partnerId), saleOf(partnerId)];
    await dispatcher.publish(first);
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    await dispatcher.publish(second);
    await eventually(async () => expect(await counts()).toEqual({ pending: 2 }));
    await closeUnheard(dispatcher, second);
    await heard(dispatcher);
    endpoint.always(answer(200));
    endpoint.answerAll();
    await eventually(async () => expect(await counts()).toMatchObject({ delivered: 2 }));
    expect(endpoint.about(second.oid)).toEqual([]);
  });

  it('stops what a read of the database that began before has seen, also when the notification was lost', async () => {
    const dispatcher = await start();
    await shardsOwned(1);
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(() => undefined);
    const [first, second] = [saleOf(partnerId), saleOf(partnerId)];
    await dispatcher.publish(first);
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    await dispatcher.publish(second);
    await eventually(async () => expect(await counts()).toEqual({ pending: 2 }));
    const { nest } = dispatcher.running;
    const due = nest.get(DueRepository, { strict: false });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const findDue = due.findDue.bind(due);
    const read = jest.fn();
    jest.spyOn(due, 'findDue').mockImplementationOnce(async (...values) => {
      const found = await findDue(...values);
      read(found.deliveries.length);
      await released;
      return found;
    });
    const stored = await nest.get(EndpointRepository, { strict: false }).find(partnerId, 'live');
    nest.get(DispatchService, { strict: false }).wake(stored as Endpoint);
    await eventually(() => expect(read).toHaveBeenCalledWith(2));
    await closeUnheard(dispatcher, second);
    await heard(dispatcher);
    release();
    await eventually(() => expect(jest.mocked(due.findDue).mock.calls.length).toBeGreaterThan(1));
    endpoint.always(answer(200));
    endpoint.answerAll();
    await eventually(async () => expect(await counts()).toMatchObject({ delivered: 2 }));
    await heard(dispatcher);
    expect(endpoint.about(second.oid)).toEqual([]);
  });

  it('is carried out to the end when the process that handles it is killed, and none of its sales is sent again', async () => {
    const publisher = await start();
    const partners = await Promise.all(Array.from({ length: 4 }, () => publisher.createEndpoint(endpoint.url)));
    endpoint.always(answer(500));
    const sales = partners.flatMap(({ partnerId }) => Array.from({ length: 100 }, () => saleOf(partnerId)));
    await publisher.publish(...sales);
    await eventually(
      async () => {
        const [row] = await database.query(`select count(*)::int as count from postback.attempt`);
        expect(row).toEqual({ count: sales.length });
      },
      { timeoutMs: 30_000 },
    );
    await publisher.stop();
    started = [];
    const killed = await startProcess(database, SETTINGS);
    const next = await start();
    for (let from = 0; from < sales.length; from += 20) await next.close(sales.slice(from, from + 20));
    await eventually(async () => expect(await counts()).toHaveProperty('failed refunded'));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    await eventually(async () => expect(await counts()).toEqual({ 'failed refunded': sales.length }), {
      timeoutMs: 30_000,
    });
    expect(endpoint.received).toHaveLength(sales.length);
  });

  /** Closes one of two pending sales while the dispatcher does not listen, and ends when it listens again. */
  async function closeUnheard(dispatcher: Dispatcher, sale: SaleCompleted): Promise<void> {
    const listening = `application_name = 'postback-dispatcher-wake' and datname = current_database()`;
    await database.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${listening}`);
    await dispatcher.close([sale]);
    await eventually(async () => expect(await counts()).toEqual({ pending: 1, 'failed refunded': 1 }));
    await eventually(async () => {
      const again = await database.query(`select from pg_stat_activity where ${listening} and query like 'listen%'`);
      expect(again).toHaveLength(1);
    });
  }

  /** What was notified before has been heard by all. */
  async function heard(dispatcher: Dispatcher): Promise<void> {
    const sink = await EndpointServer.start();
    const { partnerId } = await dispatcher.createEndpoint(sink.url);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    await eventually(() => expect(sink.about(sale.oid)).toHaveLength(1));
    await sink.stop();
  }
});
