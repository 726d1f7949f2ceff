import { eventually } from '@tandem/testing';
import { Workers } from '../src/dispatch/workers';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('a configuration that cannot be decrypted', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;

  beforeAll(async () => {
    // No regular sweep runs during the test, so deliveries are sent only if they are handed over in memory.
    dispatcher = await Dispatcher.start({ POSTBACK_SWEEP_MS: '600000' });
    endpoint = await EndpointServer.start();
    endpoint.always(answer(200));
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  it('delays no other partner in the same batch, even if its previous version could be decrypted', async () => {
    const broken = await dispatcher.createEndpoint(endpoint.url);
    const intact = await dispatcher.createEndpoint(endpoint.url);
    const salesOf = (partnerId: string, count: number) => Array.from({ length: count }, () => saleOf(partnerId));
    const before = saleOf(broken.partnerId);
    await dispatcher.publish(before);
    await eventually(async () => expect((await dispatcher.deliveryOf(before.oid))?.status).toBe('delivered'));
    await dispatcher.database.query(
      `update postback.endpoint set key_encrypted = 'v1.unknown.AAAA', config_version = config_version + 1 where partner_id = $1`,
      [broken.partnerId],
    );
    const unsent = salesOf(broken.partnerId, 5);
    const others = salesOf(intact.partnerId, 30);
    await dispatcher.publish(...unsent, ...others);
    // Of the deliveries of the broken configuration, the endpoint received one before the change, and none after it.
    await eventually(() => expect(endpoint.received).toHaveLength(1 + others.length));
    for (const { oid } of unsent) {
      expect(endpoint.about(oid)).toHaveLength(0);
      expect(await dispatcher.deliveryOf(oid)).toMatchObject({ status: 'pending', attempt_count: 0 });
    }
    // Deliveries that cannot be sent use no memory.
    const workers = dispatcher.running.nest.get(Workers).all();
    for (const { queue } of workers) expect(queue.length).toBe(0);
  });
});
