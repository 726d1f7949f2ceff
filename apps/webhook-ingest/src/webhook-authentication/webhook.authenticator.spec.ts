import { fastify } from 'fastify';
import { requireIntegrations, WebhookAuthenticator } from './webhook.authenticator';

describe('requireIntegrations', () => {
  const authentication = { by: WebhookAuthenticator as never, options: 'payments' };
  const appWithRoute = (url: string, config: object) => () => {
    const app = fastify();
    requireIntegrations(app);
    app.post(url, { config }, () => undefined);
  };

  it('rejects a route under /idp/ without @Endpoint()', () => {
    expect(appWithRoute('/idp/sms/webhook', {})).toThrow('/idp/sms/webhook has no @Endpoint()');
  });

  it('accepts a route under /idp/ with @Endpoint(), and other routes without it', () => {
    expect(appWithRoute('/idp/payments/webhook', { authentication })).not.toThrow();
    expect(appWithRoute('/metrics', {})).not.toThrow();
  });
});
