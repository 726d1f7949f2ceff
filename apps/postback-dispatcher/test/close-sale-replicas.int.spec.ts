import { once } from 'node:events';
import { eventually, type TestDatabase } from '@tandem/testing';
import { DueRepository } from '../src/dispatch/due.repository';
import { createPostbackDatabase, Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';
import { startProcess } from './forked-dispatcher';

/** The second attempt of a delivery is due about an hour after the first, so no second attempt happens during a test. */
const SETTINGS = {
  POSTBACK_RETRY_SCHEDULE_SECONDS: '0,3600',
  POSTBACK_LEASE_MS: '1000',
  POSTBACK_ENDPOINT_CONCURRENCY: '1',
  POSTBACK_BREAKER_THRESHOLD: '1000',
  POSTBACK_SWEEP_MS: '100',
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

  it('stops every delivery when sale.completed arrives at the same time [sales.closed-stops-postback]', async () => {
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
    // No delivery had more than one attempt.
    const webhookIds = endpoint.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(webhookIds).size).toBe(webhookIds.length);
  });

  it('stops deliveries in the memory of the replica that sends them, whichever replica handles sale.closed', async () => {
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
    await heard();
    endpoint.always(answer(200));
    endpoint.answerAll();
    await eventually(async () => expect(await counts()).toMatchObject({ delivered: 12, 'failed refunded': 12 }));
    for (const { oid } of waiting) expect(endpoint.about(oid)).toEqual([]);
  });

  it('stops deliveries that a read of due deliveries found before the event was handled', async () => {
    // Either of the two replicas may handle the event. If the owner of the endpoint's shard does not handle it, the owner reads only in its
    // next sweep that the sale was closed.
    const [dispatcher, other] = [await start(), await start()];
    await shardsOwned(2);
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(() => undefined);
    const [first, second] = [saleOf(partnerId), saleOf(partnerId)];
    await dispatcher.publish(first);
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    const read = jest.fn();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    for (const { running } of [dispatcher, other]) {
      const due = running.nest.get(DueRepository, { strict: false });
      const findDue = due.findDue.bind(due);
      jest.spyOn(due, 'findDue').mockImplementation(async (...values) => {
        const found = await findDue(...values);
        if (found.deliveries.some(({ oid }) => oid === second.oid)) {
          read();
          await released;
        }
        return found;
      });
    }
    await database.query(
      `insert into postback.delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       select gen_random_uuid(), partner_id, environment, id, $1, 'e', json_build_object('oid', $1::text)::text, 'pending', now()
       from postback.endpoint where partner_id = $2`,
      [second.oid, partnerId],
    );
    await database.query(
      `insert into postback.sale_delivery (oid, environment, delivery_id) select oid, environment, id from postback.delivery where oid = $1`,
      [second.oid],
    );
    await eventually(() => expect(read).toHaveBeenCalled());
    await dispatcher.close([second]);
    await eventually(async () => expect(await counts()).toEqual({ pending: 1, 'failed refunded': 1 }));
    await heard();
    release();
    endpoint.always(answer(200));
    endpoint.answerAll();
    await eventually(async () => expect(await counts()).toMatchObject({ delivered: 1 }));
    await heard();
    expect(endpoint.about(second.oid)).toEqual([]);
  });

  it('stops all deliveries even if a replica is killed while it handles the events', async () => {
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

  /** Waits until every replica has run a sweep that started after this call. The sweep reads which sales were closed. */
  async function heard(): Promise<void> {
    const sweeps = started.map(({ running }) =>
      jest.spyOn(running.nest.get(DueRepository, { strict: false }), 'sweep'),
    );
    await eventually(() => {
      // The spies count only sweeps that start after this call, and a process runs its sweeps one after the other. When the third sweep
      // starts, the first two have therefore ended.
      for (const { mock } of sweeps) expect(mock.calls.length).toBeGreaterThan(2);
    });
    for (const sweep of sweeps) sweep.mockRestore();
  }
});
