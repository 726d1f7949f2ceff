import { POSTBACK_DELIVERED, POSTBACK_FAILED } from '@tandem/contracts';
import { eventually } from '@tandem/testing';
import { Webhook } from 'standardwebhooks';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('sale.completed', () => {
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

  beforeEach(() => endpoint.always(answer(200)));

  it('causes a postback with exactly the fields of the partner interface, in order [interface.postback-sent, postback-body.fields, postback-body.currency, postback-body.category, postback-headers.own]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    const [request] = await eventually(() => {
      expect(endpoint.about(sale.oid)).toHaveLength(1);
      return endpoint.about(sale.oid);
    });
    expect(request?.method).toBe('POST');
    expect(request?.body).toBe(
      `{"oid":"${sale.oid}","sharedId":"ref-42","emailMasked":"j***e@example.com","currency":"USD",` +
        `"items":[{"price":"49.95","quantity":"2","category":"Advanced, 1 year","tier":"advanced","sku":"Sell"}]}`,
    );
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer partner-key',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Tandem/),
    });
    expect(request?.headers).not.toHaveProperty('x-environment');
  });

  it('causes a stored delivery with its attempt, and the event postback.delivered', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(201, {}, 'thank you'));
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    const delivery = await eventually(async () => {
      const row = await dispatcher.deliveryOf(sale.oid);
      expect(row).toMatchObject({ status: 'delivered', attempt_count: 1, next_attempt_at: null });
      return row;
    });
    expect(await dispatcher.attemptsOf(sale.oid)).toMatchObject([
      { number: 1, status: 201, error: null, response: 'thank you' },
    ]);
    expect(await dispatcher.published(POSTBACK_DELIVERED.topic, sale.oid)).toMatchObject([
      { oid: sale.oid, partnerId, environment: 'live', deliveryId: delivery?.id, attempts: 1, status: 201 },
    ]);
    expect(await dispatcher.published(POSTBACK_FAILED.topic, sale.oid)).toEqual([]);
  });

  it('causes a postback whose signature a Standard Webhooks library accepts [postback-headers.standard-webhooks]', async () => {
    const { partnerId, signingSecret } = await dispatcher.createEndpoint(endpoint.url);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    await eventually(() => expect(endpoint.about(sale.oid)).toHaveLength(1));
    const [request] = endpoint.about(sale.oid);
    const verified = new Webhook(signingSecret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect(verified).toMatchObject({ oid: sale.oid });
  });
});
