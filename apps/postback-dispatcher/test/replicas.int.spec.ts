import { fork, ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { POSTBACK_DELIVERED } from '@tandem/contracts';
import { eventually, TestDatabase } from '@tandem/testing';
import { DispatchService } from '../src/dispatch/dispatch.service';
import { createPostbackDatabase, Dispatcher, environmentOf, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

/** Short, so that a test can wait for its end. */
const LEASE = { POSTBACK_LEASE_MS: '900' };

const webhookIds = ({ received }: EndpointServer): string[] =>
  received.map(({ headers }) => String(headers['webhook-id']));

/** A dispatcher as a process of its own, to be killed. */
async function startProcess(database: TestDatabase, overrides: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = fork(path.join(__dirname, 'dispatcher-process.ts'), [], {
    execArgv: ['--conditions=@tandem/source', '--require', '@swc-node/register'],
    env: {
      ...process.env,
      SWC_NODE_PROJECT: path.resolve(__dirname, '../../../tsconfig.base.json'),
      ...environmentOf(database.urlFor('postback'), overrides),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('it did not start'))),
  ]);
  return child;
}

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

  it('share the endpoints, and send each delivery once', async () => {
    const [one] = [await start(LEASE), await start(LEASE)];
    const partners = await Promise.all(Array.from({ length: 12 }, () => one.createEndpoint(endpoint.url)));
    endpoint.always((_, response) => void setTimeout(() => response.end(), 5));
    let published = 0;
    await eventually(async () => {
      const sales = partners.flatMap(({ partnerId }) => Array.from({ length: 4 }, () => saleOf(partnerId)));
      await one.publish(...sales);
      published += sales.length;
      const owners = await database.query<{ count: number }>(
        `select count(*)::int as count from postback.endpoint_schedule where lease_owner is not null group by lease_owner`,
      );
      expect(owners).toHaveLength(2);
      for (const { count } of owners) expect(count).toBeGreaterThanOrEqual(3);
    });
    await delivered(published);
    expect(webhookIds(endpoint)).toHaveLength(published);
    expect(new Set(webhookIds(endpoint)).size).toBe(published);
  });

  it('take over what a killed one had in flight, under the same webhook-id', async () => {
    const lease = { POSTBACK_LEASE_MS: '1000', POSTBACK_LEASE_LINGER_MS: '300' };
    const killed = await startProcess(database, lease);
    const publisher = await start(lease);
    // Only the process to be killed may own the endpoint at first.
    const { partnerId } = await publisher.createEndpoint(endpoint.url);
    const [{ id: owner } = { id: '' }] = await database.query<{ id: string }>(
      `select id from postback.replica where id <> $1`,
      [publisherId(publisher)],
    );
    await database.query(
      `update postback.endpoint_schedule set next_due_at = now(), lease_owner = $1, lease_epoch = 1,
         lease_until = now() + interval '1 second'`,
      [owner],
    );
    endpoint.always(() => undefined);
    const sale = saleOf(partnerId);
    await publisher.publish(sale);
    await eventually(() => expect(endpoint.about(sale.oid).length).toBeGreaterThanOrEqual(1));
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    endpoint.always(answer(200));
    await delivered(1);
    const ids = endpoint.about(sale.oid).map(({ headers }) => headers['webhook-id']);
    expect(ids.length).toBeGreaterThanOrEqual(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('send what was in flight in a killed one within a lease, each sale once in effect', async () => {
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

  it('go on at once when one stops gracefully', async () => {
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

  it('give an endpoint back that has nothing to send, and take it again', async () => {
    const dispatcher = await start({ POSTBACK_LEASE_LINGER_MS: '100', POSTBACK_LEASE_MS: '600' });
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    for (let round = 1; round <= 3; round++) {
      await dispatcher.publish(saleOf(partnerId));
      await delivered(round);
      await eventually(async () => {
        const [row] = await database.query(`select lease_owner, next_due_at from postback.endpoint_schedule`);
        expect(row).toEqual({ lease_owner: null, next_due_at: null });
      });
    }
    expect(endpoint.received).toHaveLength(3);
  });

  it('find what was added by a process that died before it could hand it over', async () => {
    const dispatcher = await start();
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await database.query(
      `with e as (select * from postback.endpoint where partner_id = $1),
         d as (insert into postback.delivery
           (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
           select gen_random_uuid(), partner_id, environment, id, 'orphan', 'e', '{"oid":"orphan"}', 'pending', now() from e)
       update postback.endpoint_schedule s set next_due_at = now(), lease_owner = gen_random_uuid(), lease_epoch = 7,
         lease_until = now() + interval '300 milliseconds' from e where s.endpoint_id = e.id`,
      [partnerId],
    );
    await delivered(1);
  });
});

function publisherId({ running }: Dispatcher): string {
  return running.nest.get(DispatchService, { strict: false }).replicaId;
}
