import { eventually } from '@tandem/testing';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('the metrics of attempts', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start();
    endpoint = await EndpointServer.start();
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  const counts = async (): Promise<Record<string, number>> => {
    const text = await (await fetch(`${dispatcher.running.url}/metrics`)).text();
    const lines = [
      ...text.matchAll(/^postback_attempts_total\{outcome="(\w+)",endpoint="(\w+)"\} (\d+)$/gm),
      ...text.matchAll(/^postback_attempt_seconds_(count)\{endpoint="(\w+)"\} (\d+)$/gm),
    ];
    return Object.fromEntries(
      lines.flatMap(([, what, of, count]) => (count === '0' ? [] : [[`${what} ${of}`, Number(count)]])),
    );
  };

  it('distinguish attempts at healthy endpoints from attempts at endpoints that have had no success since a pause', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    // The first attempt fails and pauses the endpoint. The second attempt follows the pause and fails too. The third attempt succeeds.
    endpoint.next(answer(503), answer(503));
    const first = saleOf(partnerId);
    await dispatcher.publish(first);
    await eventually(async () => expect(await dispatcher.deliveryOf(first.oid)).toMatchObject({ status: 'delivered' }));
    const second = saleOf(partnerId);
    await dispatcher.publish(second);
    await eventually(async () =>
      expect(await dispatcher.deliveryOf(second.oid)).toMatchObject({ status: 'delivered' }),
    );

    expect(await counts()).toEqual({
      'status healthy': 1,
      'status failing': 1,
      'delivered failing': 1,
      'delivered healthy': 1,
      'count healthy': 2,
      'count failing': 2,
    });
  });
});
