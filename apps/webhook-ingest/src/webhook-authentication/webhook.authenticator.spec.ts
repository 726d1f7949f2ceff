import { fastify } from 'fastify';
import { requireIntegrations, WebhookAuthenticator } from './webhook.authenticator';

describe('a route of a webhook', () => {
  const authentication = { by: WebhookAuthenticator as never, options: 'payments' };
  const appWithRoute = (url: string, config: object) => () => {
    const app = fastify();
    requireIntegrations(app);
    app.post(url, { config }, () => undefined);
  };

  it('without an integration prevents the start', () => {
    expect(appWithRoute('/idp/sms/webhook', {})).toThrow('/idp/sms/webhook has no @Endpoint()');
  });

  it('is accepted with an integration, and other routes without one', () => {
    expect(appWithRoute('/idp/payments/webhook', { authentication })).not.toThrow();
    expect(appWithRoute('/metrics', {})).not.toThrow();
  });
});
