import { fastify } from 'fastify';
import { requireIntegrations, WebhookAuthenticator } from './webhook.authenticator';

describe('a route of a webhook', () => {
  const authentication = { by: WebhookAuthenticator as never, options: 'payments' };
  const appWithRoute = (url: string, config: object) => () => {
    const app = fastify();
    requireIntegrations(app);
    app.post(url, { config }, () => undefined);
  };

  it('makes the start fail when it declares no integration', () => {
    expect(appWithRoute('/idp/sms/webhook', {})).toThrow('/idp/sms/webhook has no @Endpoint()');
  });

  it('is accepted when it declares an integration, and other routes need none', () => {
    expect(appWithRoute('/idp/payments/webhook', { authentication })).not.toThrow();
    expect(appWithRoute('/metrics', {})).not.toThrow();
  });
});
