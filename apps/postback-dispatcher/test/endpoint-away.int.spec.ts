import { eventually } from '@tandem/testing';
import { aroundNow, DeliveryLog } from './delivery-log';
import { Dispatcher } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('a partner whose endpoint was down', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_RETRY_SCHEDULE_SECONDS: '0' });
    log = new DeliveryLog(dispatcher);
    endpoint = await EndpointServer.start();
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  it('gets every sale by a replay after 20 exhausted deliveries in a row disabled its endpoint [deliveries.held-replayed]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(503));
    const failed = await log.sales(partnerId, 20, 'failed');
    await eventually(async () =>
      expect((await dispatcher.read(partnerId)).body).toMatchObject({
        status: 'disabled',
        disabledReason: 'deliveries_exhausted',
      }),
    );
    const held = await log.sales(partnerId, 15, 'held');
    expect((await log.walk(partnerId, { status: 'held' })).map(({ attempts }) => attempts)).toEqual(Array(15).fill([]));
    expect(await log.replayRange(partnerId, aroundNow())).toMatchObject({ status: 409 });

    endpoint.always(answer(200));
    expect((await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer' })).body).toMatchObject({
      status: 'active',
    });
    expect((await log.replayRange(partnerId, aroundNow())).body).toEqual({ count: 35 });
    for (const { oid } of [...failed, ...held]) await log.settled(oid, 'delivered');
    for (const { oid } of failed) {
      expect(new Set(endpoint.about(oid).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect((await dispatcher.attemptsOf(oid)).map(({ number, status }) => [number, status])).toEqual([
        [1, 503],
        [2, 200],
      ]);
    }
    for (const { oid } of held) expect(endpoint.about(oid)).toHaveLength(1);
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'active' });
  });

  it('has no delivery left pending if the replay gets a 410, and can replay every delivery later', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(410));
    const [gone] = await log.sales(partnerId, 1, 'failed');
    const held = await log.sales(partnerId, 5, 'held');
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer' });
    expect((await log.replayRange(partnerId, aroundNow())).body).toEqual({ count: 6 });
    await eventually(async () => {
      const statuses = (await log.page(partnerId)).items.map(({ status }) => status);
      expect(statuses).not.toContain('pending');
      expect(statuses).toHaveLength(6);
    });
    endpoint.always(answer(200));
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer' });
    expect((await log.replayRange(partnerId, aroundNow())).body).toEqual({ count: 6 });
    for (const { oid } of [...held, ...(gone ? [gone] : [])]) await log.settled(oid, 'delivered');
  });
});
