import { eventually } from '@tandem/testing';
import { Client } from 'pg';
import { DueRepository } from '../src/dispatch/due.repository';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

const MEGABYTE = 1024 * 1024;

/** How long these tests wait: thousands of deliveries may take long on a busy machine. */
const PATIENT = { timeoutMs: 80_000 };
jest.setTimeout(180_000);

describe('postback-dispatcher with many endpoints', () => {
  let endpoint: EndpointServer;
  let dispatcher: Dispatcher;

  beforeEach(async () => {
    endpoint = await EndpointServer.start();
  });
  afterEach(async () => {
    await dispatcher.stop();
    await endpoint.stop();
  });

  const createEndpoints = (count: number): Promise<{ partnerId: string }[]> =>
    Promise.all(Array.from({ length: count }, () => dispatcher.createEndpoint(endpoint.url)));
  /** Adds pending deliveries to each endpoint, in the database only, so that no process has them in memory. */
  const addPending = (each: number, bodyBytes: number): Promise<unknown> =>
    dispatcher.database.query(
      `insert into postback.delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       select gen_random_uuid(), e.partner_id, 'live', e.id, e.id || '-' || n, 'e',
         json_build_object('oid', e.id || '-' || n, 'filler', repeat('x', $2))::text, 'pending', now()
       from postback.endpoint e, generate_series(1, $1) n`,
      [each, bodyBytes],
    );
  const delivered = (count: number): Promise<void> =>
    eventually(async () => {
      const [row] = await dispatcher.database.query<{ count: number }>(
        `select count(*)::int as count from postback.delivery where status = 'delivered'`,
      );
      expect(row?.count).toBe(count);
    }, PATIENT);
  const partnersReached = (): number => new Set(endpoint.received.map(({ body }) => body.slice(8, 44))).size;

  it('serves 200 endpoints with backlogs within POSTBACK_MEMORY_BYTES', async () => {
    const budget = 12 * MEGABYTE;
    dispatcher = await Dispatcher.start({
      POSTBACK_MEMORY_BYTES: String(budget),
      POSTBACK_ENDPOINT_CONCURRENCY: '1',
      POSTBACK_SWEEP_MS: '500',
    });
    const due = dispatcher.running.nest.get(DueRepository, { strict: false });
    const findDue = due.findDue.bind(due);
    let read = 0;
    jest.spyOn(due, 'findDue').mockImplementation(async (...values) => {
      const found = await findDue(...values);
      for (const { body } of found.deliveries) read += body.length;
      return found;
    });
    await createEndpoints(200);
    endpoint.always(() => undefined);
    await addPending(10, 10_000);
    // No request is answered, so all deliveries that were read are in memory.
    await eventually(() => expect(partnersReached()).toBe(200), PATIENT);
    expect(read).toBeLessThan(budget);
    endpoint.always(answer(200));
    endpoint.answerAll();
    await delivered(2_000);
    expect(endpoint.received).toHaveLength(2_000);
  });

  it('checks the configurations of 50 busy endpoints with fewer than 50 statements', async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_ENDPOINT_CONCURRENCY: '1' });
    await createEndpoints(50);
    endpoint.always((_, response) => void setTimeout(() => response.end(), 50));
    await addPending(40, 10);
    await eventually(() => expect(partnersReached()).toBe(50));
    const query = jest.spyOn(Client.prototype, 'query');
    await delivered(2_000);
    // The statement that stores results is not counted: it joins the endpoints for closure notices, but does not read configurations.
    const reads = query.mock.calls
      .map(([statement]) => String((statement as { text?: string }).text ?? statement))
      .filter((text) => /(from|join) endpoint e\b/.test(text) && !text.includes('closure_notice')).length;
    query.mockRestore();
    // Each of the 50 endpoints was busy for about two seconds. In each second, one sweep finds the endpoints and one statement checks their
    // configurations. A slow machine needs more of these statements, but far fewer than one per endpoint.
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(50);
  });

  it('sends to other endpoints while a transaction locks one delivery, whose result is stored afterwards', async () => {
    dispatcher = await Dispatcher.start();
    const [locked, other] = (await createEndpoints(2)) as [{ partnerId: string }, { partnerId: string }];
    endpoint.next(() => undefined);
    const sale = saleOf(locked.partnerId);
    await dispatcher.publish(sale);
    await eventually(() => expect(endpoint.inFlight).toBe(1));
    const client = new Client({ connectionString: dispatcher.database.superuserUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(`select from postback.delivery where oid = $1 for update`, [sale.oid]);
      endpoint.answerAll();
      await eventually(() => expect(endpoint.inFlight).toBe(0));
      // A result that waits for the lock must not delay other results, so these must be stored long before a statement could time out.
      for (let round = 1; round <= 5; round++) {
        const sales = Array.from({ length: 20 }, () => saleOf(other.partnerId));
        await dispatcher.publish(...sales, saleOf(locked.partnerId));
        await eventually(
          async () => {
            const [row] = await dispatcher.database.query(
              `select count(*)::int as count from postback.delivery where status = 'delivered'`,
            );
            expect(row).toEqual({ count: 21 * round });
          },
          { timeoutMs: 5_000 },
        );
      }
      expect(await dispatcher.deliveryOf(sale.oid)).toMatchObject({ status: 'pending' });
    } finally {
      await client.end();
    }
    await eventually(async () => expect(await dispatcher.deliveryOf(sale.oid)).toMatchObject({ status: 'delivered' }));
    expect(await dispatcher.attemptsOf(sale.oid)).toHaveLength(1);
    expect(endpoint.about(sale.oid)).toHaveLength(1);
  });

  it('sends to other endpoints while a transaction locks the configuration of a failing endpoint', async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_RETRY_SCHEDULE_SECONDS: '0,0.1,0.1,0.1' });
    const failing = await EndpointServer.start();
    const [one, other] = [await dispatcher.createEndpoint(failing.url), await dispatcher.createEndpoint(endpoint.url)];
    failing.next(answer(503));
    const client = new Client({ connectionString: dispatcher.database.superuserUrl });
    await client.connect();
    const sale = saleOf(one.partnerId);
    try {
      await client.query('begin');
      await client.query(`select from postback.endpoint where partner_id = $1 for update`, [one.partnerId]);
      await dispatcher.publish(sale);
      await eventually(() => expect(failing.received.length).toBeGreaterThan(0));
      const sales = Array.from({ length: 20 }, () => saleOf(other.partnerId));
      await dispatcher.publish(...sales);
      await eventually(
        async () => {
          for (const { oid } of sales) expect((await dispatcher.deliveryOf(oid))?.status).toBe('delivered');
        },
        { timeoutMs: 5_000 },
      );
    } finally {
      await client.end();
    }
    await eventually(async () => expect(await dispatcher.deliveryOf(sale.oid)).toMatchObject({ status: 'delivered' }));
    expect(failing.received).toHaveLength(2);
    await failing.stop();
  });
});
