import { eventually, type TestDatabase } from '@tandem/testing';
import { createPostbackDatabase, Dispatcher, saleOf } from './dispatcher';
import { EndpointServer } from './endpoint-server';

describe('the next owner of a shard', () => {
  let database: TestDatabase;
  let server: EndpointServer;

  beforeAll(async () => {
    database = await createPostbackDatabase();
    server = await EndpointServer.start();
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** Gives the shards an owner that does not exist, with expired leases, as a killed owner leaves them. */
  const abandonShards = () =>
    database.query(
      `update postback.shard set owner = gen_random_uuid(), epoch = epoch + 1, lease_until = now() - interval '1 second'`,
    );
  const block = (partnerId: string, blockedFor: string) =>
    database.query(
      `update postback.endpoint set blocked_until = now() + $2::interval, breaker_level = 1 where partner_id = $1`,
      [partnerId, blockedFor],
    );
  /** Adds a pending delivery to the database only, so that no process has it in memory. */
  const addUnseen = (partnerId: string, oid: string) =>
    database.query(
      `insert into postback.delivery
         (id, partner_id, environment, endpoint_id, oid, event_id, body, status, next_attempt_at)
       select gen_random_uuid(), partner_id, environment, id, $2, 'e', json_build_object('oid', $2::text)::text, 'pending', now()
       from postback.endpoint where partner_id = $1`,
      [partnerId, oid],
    );

  it('does not send before the end of a pause that began under the previous owner', async () => {
    const dispatcher = await Dispatcher.start({}, database);
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    await dispatcher.stop();
    await block(partnerId, '1 hour');
    await addUnseen(partnerId, 'blocked-before');
    await abandonShards();

    const next = await Dispatcher.start({}, database);
    const sale = saleOf(partnerId);
    await next.publish(sale);
    await eventually(async () => expect((await next.deliveryOf(sale.oid))?.status).toBe('pending'));
    // When another endpoint gets its delivery, the new owner has taken the shards. The paused endpoint must have received nothing until
    // then.
    const other = await next.createEndpoint(server.url);
    const marker = saleOf(other.partnerId);
    await next.publish(marker);
    await eventually(async () => expect((await next.deliveryOf(marker.oid))?.status).toBe('delivered'));
    expect(await next.attemptsOf(sale.oid)).toEqual([]);
    await next.stop();

    await block(partnerId, '-1 second');
    const last = await Dispatcher.start({}, database);
    try {
      for (const oid of [sale.oid, 'blocked-before']) {
        await eventually(async () => expect((await last.deliveryOf(oid))?.status).toBe('delivered'));
      }
    } finally {
      await last.stop();
    }
  });

  it('does not send before the end of an earlier pause even if its own clock is ahead of the database’s clock', async () => {
    const dispatcher = await Dispatcher.start({}, database);
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    await dispatcher.stop();
    await block(partnerId, '1 minute');
    await addUnseen(partnerId, 'blocked-by-clock');
    await abandonShards();

    const { now } = Date;
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() + 90_000);
    const next = await Dispatcher.start({}, database);
    try {
      const other = await next.createEndpoint(server.url);
      const marker = saleOf(other.partnerId);
      await next.publish(saleOf(partnerId), marker);
      await eventually(async () => expect((await next.deliveryOf(marker.oid))?.status).toBe('delivered'));
      expect(await next.attemptsOf('blocked-by-clock')).toEqual([]);
    } finally {
      await next.stop();
      clock.mockRestore();
    }
  });

  it('sends pending deliveries after the previous owner’s lease has ended', async () => {
    const dispatcher = await Dispatcher.start({}, database);
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    await dispatcher.stop();
    await database.query(
      `update postback.shard set owner = gen_random_uuid(), epoch = epoch + 1, lease_until = now() + interval '700 milliseconds'`,
    );
    await addUnseen(partnerId, 'left-behind');
    // The next regular heartbeat is due after 20 s, the next regular sweep after 10 minutes. But the first heartbeat reads when the previous
    // owner's lease ends, and schedules the next heartbeat for that time.
    const next = await Dispatcher.start({ POSTBACK_LEASE_MS: '60000', POSTBACK_SWEEP_MS: '600000' }, database);
    try {
      await eventually(async () => expect((await next.deliveryOf('left-behind'))?.status).toBe('delivered'), {
        timeoutMs: 15_000, // before the next regular heartbeat
      });
    } finally {
      await next.stop();
    }
  });
});
