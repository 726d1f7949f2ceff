import { postbackConfigurationPath } from '@tandem/internal-api';
import { eventually } from '@tandem/testing';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { Dispatcher, saleOf } from './dispatcher';
import { EndpointServer } from './endpoint-server';

describe('a postback after the signing secret was rotated', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;

  beforeAll(async () => {
    // With this setting, the old secret stops signing immediately.
    dispatcher = await Dispatcher.start({ POSTBACK_SIGNING_OVERLAP_SECONDS: '0' });
    endpoint = await EndpointServer.start();
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  it('is signed only with the new secret once the overlap has ended [postback.rotate-overlap]', async () => {
    const { partnerId, signingSecret } = await dispatcher.createEndpoint(endpoint.url);
    const path = `${postbackConfigurationPath(partnerId, 'live')}/signing-secret`;
    const { body } = await dispatcher.request('POST', path);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    await eventually(() => expect(endpoint.about(sale.oid)).toHaveLength(1));
    const [request] = endpoint.about(sale.oid);
    const headers = request?.headers as Record<string, string>;
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(1);
    new Webhook(body.signingSecret as string).verify(request?.body ?? '', headers);
    expect(() => new Webhook(signingSecret).verify(request?.body ?? '', headers)).toThrow(WebhookVerificationError);
  });
});
