import { eventually } from '@tandem/testing';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('an endpoint that hangs', () => {
  let dispatcher: Dispatcher;
  let hung: EndpointServer;
  let healthy: EndpointServer;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_ENDPOINT_CONCURRENCY: '4' });
    hung = await EndpointServer.start();
    healthy = await EndpointServer.start();
    hung.always(() => undefined);
  });
  afterAll(async () => {
    await hung?.stop();
    await healthy?.stop();
    await dispatcher?.stop();
  });

  it('receives no more concurrent requests than its limit, and delays no other endpoint', async () => {
    const slow = await dispatcher.createEndpoint(hung.url);
    const quick = await dispatcher.createEndpoint(healthy.url);
    await dispatcher.publish(...Array.from({ length: 40 }, () => saleOf(slow.partnerId)));
    await eventually(() => expect(hung.inFlight).toBe(4));
    const sales = Array.from({ length: 20 }, () => saleOf(quick.partnerId));
    await dispatcher.publish(...sales);
    // The requests to the hanging endpoint time out after 15 s. The other requests arrive within 10 s, so they did not wait for these
    // timeouts.
    await eventually(() => expect(healthy.received).toHaveLength(20), { timeoutMs: 10_000 });
    expect(hung.received).toHaveLength(4);
    expect(hung.mostInFlight).toBe(4);
  });

  it('receives the remaining postbacks when it answers again', async () => {
    const retrying = await Dispatcher.start({
      POSTBACK_TIMEOUT_MS: '200',
      POSTBACK_RETRY_SCHEDULE_SECONDS: '0,0.3,0.3,0.3,0.3',
    });
    const endpoint = await EndpointServer.start();
    endpoint.always(() => undefined);
    const { partnerId } = await retrying.createEndpoint(endpoint.url);
    const sales = Array.from({ length: 12 }, () => saleOf(partnerId));
    await retrying.publish(...sales);
    await eventually(() => expect(endpoint.received.length).toBeGreaterThanOrEqual(10));
    endpoint.always(answer(200));
    await eventually(async () => {
      const rows = await retrying.database.query(`select from postback.delivery where status = 'delivered'`);
      expect(rows).toHaveLength(12);
    });
    await retrying.stop();
    await endpoint.stop();
  });
});
