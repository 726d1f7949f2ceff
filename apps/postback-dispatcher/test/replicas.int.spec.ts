import { once } from 'node:events';
import { POSTBACK_DELIVERED } from '@tandem/contracts';
import { eventually, type TestDatabase } from '@tandem/testing';
import { DispatchService } from '../src/dispatch/dispatch.service';
import { createPostbackDatabase, Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';
import { startProcess } from './forked-dispatcher';

/** A lease that is short enough for a test to wait for its end. */
const LEASE = { POSTBACK_LEASE_MS: '900' };

const webhookIds = ({ received }: EndpointServer): string[] =>
  received.map(({ headers }) => String(headers['webhook-id']));

describe('several replicas', () => {
  let database: TestDatabase;
  let endpoint: EndpointServer;
  let started: Dispatcher[] = [];

  const start = async (overrides: NodeJS.ProcessEnv = {}): Promise<Dispatcher> => {
    const dispatcher = await Dispatcher.start(overrides, database);
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

  const delivered = (count: number): Promise<void> =>
    eventually(
      async () => {
        const [row] = await database.query<{ count: number }>(
          `select count(*)::int as count from postback.delivery where status = 'delivered'`,
        );
        expect(row?.count).toBe(count);
      },
      { timeoutMs: 30_000 },
    );

  const shardsOf = async (): Promise<number[]> => {
    const rows = await database.query<{ count: number }>(
      `select count(*)::int as count from postback.shard where owner is not null group by owner order by 1`,
    );
    return rows.map(({ count }) => count);
  };

  it('share the shards, and send each delivery once', async () => {
    // These replicas have the default lease. With a shorter lease, a replica that stalls on a busy machine would rightly lose its shards,
    // and its requests in flight would be sent again.
    const [one] = [await start(), await start()];
    const partners = await Promise.all(Array.from({ length: 12 }, () => one.createEndpoint(endpoint.url)));
    endpoint.always((_, response) => void setTimeout(() => response.end(), 5));
    let published = 0;
    await eventually(async () => {
      const sales = partners.flatMap(({ partnerId }) => Array.from({ length: 4 }, () => saleOf(partnerId)));
      await one.publish(...sales);
      published += sales.length;
      expect(await shardsOf()).toEqual([32, 32]);
    });
    await delivered(published);
    expect(webhookIds(endpoint)).toHaveLength(published);
    expect(new Set(webhookIds(endpoint)).size).toBe(published);
  });

  it('divide the shards again, about equally, when a replica starts or stops', async () => {
    const [one, two] = [await start(LEASE), await start(LEASE)];
    await eventually(async () => expect(await shardsOf()).toEqual([32, 32]));
    const three = await start(LEASE);
    await eventually(async () => expect(await shardsOf()).toEqual([20, 22, 22]));
    await three.stop();
    await two.stop();
    started = [one];
    await eventually(async () => expect(await shardsOf()).toEqual([64]));
  });

  it('send the in-flight deliveries of a killed replica again, under the same webhook-id', async () => {
    const lease = { POSTBACK_LEASE_MS: '1000' };
    // Only the replica that is killed can send the delivery first, because the other replica starts only when the delivery is in flight.
    const killed = await startProcess(database, lease);
    await eventually(async () => expect(await shardsOf()).toEqual([64]));
    const { id } = await addEndpoint();
    endpoint.always(() => undefined);
    await database.query(
      `insert into postback.delivery (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       values (gen_random_uuid(), 'killed', 'live', $1, 'in-flight', 'e', '{"oid":"in-flight"}', 'pending', now())`,
      [id],
    );
    await eventually(() => expect(endpoint.about('in-flight')).toHaveLength(1));
    await start(lease);
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    endpoint.always(answer(200));
    await delivered(1);
    const ids = endpoint.about('in-flight').map(({ headers }) => headers['webhook-id']);
    expect(ids.length).toBeGreaterThanOrEqual(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('deliver every sale when one replica is killed, with one webhook-id and one event per sale', async () => {
    const lease = { POSTBACK_LEASE_MS: '1000' };
    const killed = await startProcess(database, lease);
    const survivor = await start(lease);
    const partners = await Promise.all(Array.from({ length: 6 }, () => survivor.createEndpoint(endpoint.url)));
    endpoint.always((_, response) => void setTimeout(() => response.end(), 20));
    const sales = partners.flatMap(({ partnerId }) => Array.from({ length: 30 }, () => saleOf(partnerId)));
    await survivor.publish(...sales);
    await eventually(() => expect(endpoint.received.length).toBeGreaterThan(20));
    killed.kill('SIGKILL');
    await delivered(sales.length);
    const byOid = new Map<string, Set<string>>();
    for (const { body, headers } of endpoint.received) {
      const { oid } = JSON.parse(body) as { oid: string };
      byOid.set(oid, (byOid.get(oid) ?? new Set()).add(String(headers['webhook-id'])));
    }
    expect(byOid.size).toBe(sales.length);
    for (const ids of byOid.values()) expect(ids.size).toBe(1);
    for (const { oid } of sales) expect(await survivor.published(POSTBACK_DELIVERED.topic, oid)).toHaveLength(1);
  });

  it('send all deliveries, each once, when one replica stops gracefully', async () => {
    const lease = { POSTBACK_LEASE_MS: '60000' };
    const [one, two] = [await start(lease), await start(lease)];
    const partners = await Promise.all(Array.from({ length: 6 }, () => one.createEndpoint(endpoint.url)));
    endpoint.always((_, response) => void setTimeout(() => response.end(), 20));
    const sales = partners.flatMap(({ partnerId }) => Array.from({ length: 40 }, () => saleOf(partnerId)));
    await two.publish(...sales);
    await eventually(() => expect(endpoint.received.length).toBeGreaterThan(20));
    await one.stop();
    started = [two];
    await delivered(sales.length);
    expect(new Set(webhookIds(endpoint)).size).toBe(webhookIds(endpoint).length);
  });

  it('send each delivery once when a replica that stops gracefully waits for its requests for longer than a lease', async () => {
    const settings = { POSTBACK_LEASE_MS: '1500', SHUTDOWN_TIMEOUT_MS: '60000', POSTBACK_TIMEOUT_MS: '60000' };
    const [one, two] = [await start(settings), await start(settings)];
    await eventually(async () => expect(await shardsOf()).toEqual([32, 32]));
    const partners = await Promise.all(Array.from({ length: 12 }, () => one.createEndpoint(endpoint.url)));
    endpoint.always(() => undefined);
    await two.publish(...partners.map(({ partnerId }) => saleOf(partnerId)));
    await eventually(() => expect(endpoint.received).toHaveLength(12));
    const { replicaId } = one.running.nest.get(DispatchService, { strict: false });
    const [{ now } = { now: new Date() }] = await database.query<{ now: Date }>('select now()');
    const stopped = one.stop();
    started = [two];
    // The other replica immediately takes the shards that have no requests in flight. Shards with requests in flight stay with their owner.
    await eventually(async () => {
      expect((await shardsOf()).at(-1)).toBeGreaterThan(32);
      const renewed = `select from postback.shard where owner = $1 and lease_until > $2::timestamptz + interval '4 seconds'`;
      expect((await database.query(renewed, [replicaId, now])).length).toBeGreaterThan(0);
    });
    endpoint.always(answer(200));
    endpoint.answerAll();
    await stopped;
    await delivered(12);
    expect(webhookIds(endpoint)).toHaveLength(12);
    await eventually(async () => expect(await shardsOf()).toEqual([64]));
  });

  it('send a delivery to the new URL if the old URL answers 410 after another replica saved the new one [delivery.gone]', async () => {
    const replicas = [await start(), await start()];
    await eventually(async () => expect(await shardsOf()).toEqual([32, 32]));
    const { partnerId } = await (replicas[0] as Dispatcher).createEndpoint(endpoint.url);
    const [shard] = await database.query<{ owner: string }>(
      `select owner from postback.endpoint e join postback.shard s on s.id = e.shard where e.partner_id = $1`,
      [partnerId],
    );
    const other = replicas.find(
      ({ running }) => running.nest.get(DispatchService, { strict: false }).replicaId !== shard?.owner,
    );
    const next = await EndpointServer.start();
    endpoint.always((request, response, socket) => {
      const saved = other?.save(partnerId, { url: next.url, authMethod: 'Bearer' });
      void saved?.then(() => answer(410)(request, response, socket));
    });
    const sale = saleOf(partnerId);
    await replicas[0]?.publish(sale);
    await eventually(() => expect(endpoint.about(sale.oid)).toHaveLength(1));
    await eventually(async () => expect((await other?.deliveryOf(sale.oid))?.status).not.toBe('pending'));
    expect(await other?.deliveryOf(sale.oid)).toMatchObject({ status: 'delivered', attempt_count: 2 });
    expect(next.about(sale.oid)).toHaveLength(1);
    expect((await other?.read(partnerId))?.body).toMatchObject({ status: 'active' });
    await next.stop();
  });

  it('find deliveries that were added by a process that was killed before it could hand them over', async () => {
    const dispatcher = await start({ POSTBACK_SWEEP_MS: '300' });
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await database.query(
      `insert into postback.delivery
         (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       select gen_random_uuid(), partner_id, environment, id, 'orphan', 'e', '{"oid":"orphan"}', 'pending', now()
       from postback.endpoint where partner_id = $1`,
      [partnerId],
    );
    await delivered(1);
  });

  it('send deliveries that another replica added', async () => {
    const [one] = [await start(LEASE), await start(LEASE)];
    await eventually(async () => expect(await shardsOf()).toEqual([32, 32]));
    // Both replicas own endpoints and consume sales, so for about half of the deliveries, the consuming replica does not own the endpoint.
    const partners = await Promise.all(Array.from({ length: 8 }, () => one.createEndpoint(endpoint.url)));
    for (let round = 1; round <= 5; round++) {
      await one.publish(...partners.map(({ partnerId }) => saleOf(partnerId)));
      await delivered(8 * round);
    }
    expect(endpoint.received).toHaveLength(40);
  });

  /** Creates an endpoint through another replica, which is then stopped. */
  async function addEndpoint(): Promise<{ id: string }> {
    const dispatcher = await Dispatcher.start({ POSTBACK_LEASE_MS: '60000' }, database);
    await dispatcher.createEndpoint(endpoint.url);
    await dispatcher.stop();
    const [row] = await database.query<{ id: string }>('select id from postback.endpoint');
    return row as { id: string };
  }
});
