import { Injectable, Logger } from '@nestjs/common';
import { type Access, isEncoded, type RequestAuthenticator } from '@tandem/http-api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { WebhookIngestConfig } from '../config';
import type { IntegrationName } from '../inbound-webhook/integration';
import { countWebhook } from '../inbound-webhook/webhook.metrics';
import { UnauthorizedCallerError, UnsupportedContentError } from './webhook-authentication.errors';
import { isJsonContent } from './content-type.rules';
import { type Integration, WebhookAuthenticationService } from './webhook-authentication.service';

/** For each integration, the scope that its bearer tokens need. */
const SCOPES: Readonly<Record<IntegrationName, string>> = { payments: 'payments', array: 'webhook' };

/**
 * Authenticates the webhooks of trusted integrations. The caller's address and a bearer token are checked before the body is read, so that
 * a caller without credentials cannot make the app read 256 KiB. A signature is verified after that, over the bytes of the body. The
 * content type is checked last.
 */
@Injectable()
export class WebhookAuthenticator implements RequestAuthenticator<IntegrationName> {
  private readonly logger = new Logger('webhook');
  private readonly integrations: Readonly<Record<IntegrationName, Integration>>;
  private readonly awaitingSignature = new WeakSet<FastifyRequest>();

  constructor(
    config: WebhookIngestConfig,
    private readonly authentication: WebhookAuthenticationService,
  ) {
    this.integrations = {
      payments: { secrets: config.PAYMENTS_WEBHOOK_SECRETS, scope: SCOPES.payments },
      array: { secrets: config.ARRAY_WEBHOOK_SECRETS, scope: SCOPES.array },
    };
  }

  authenticate(request: FastifyRequest, _reply: FastifyReply, name: IntegrationName): Promise<void> {
    return this.logged(request, name, async () => {
      const address = request.socket.remoteAddress ?? '';
      const kind = await this.authentication.admitCaller(this.integrations[name], request.headers, address);
      if (kind === 'signature') this.awaitingSignature.add(request);
    });
  }

  verifyBody(request: FastifyRequest, name: IntegrationName): Promise<void> {
    return this.logged(request, name, async () => {
      if (this.awaitingSignature.has(request)) {
        const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        this.authentication.verifySignature(this.integrations[name], request.headers, rawBody, new Date());
      }
      if (!isJsonContent(request.headers['content-type']) || isEncoded(request)) throw new UnsupportedContentError();
    });
  }

  /** Runs a check. If it refuses the caller, counts the webhook as unauthorized, and logs it without an id, because the body was not parsed. */
  private async logged(
    request: FastifyRequest,
    integration: IntegrationName,
    work: () => Promise<void>,
  ): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (error instanceof UnauthorizedCallerError) {
        const { reason } = error;
        const path = request.routeOptions.url;
        countWebhook(integration, 'unauthorized');
        this.logger.log({ msg: 'webhook.received', outcome: 'unauthorized', integration, reason, path });
      }
      throw error;
    }
  }
}

/** Grants access to one integration, by a signature or by a bearer token. */
export const integration = (name: IntegrationName): Access => ({
  by: WebhookAuthenticator,
  options: name,
  token: 'bearer',
  description:
    'Requires the Standard Webhooks headers (webhook-id, webhook-timestamp, webhook-signature), or a bearer service token with the ' +
    `scope \`${SCOPES[name]}\`. Returns 200 when the webhook is stored, and also when it was stored before.`,
  errors: [new UnauthorizedCallerError('no_credentials'), UnsupportedContentError],
});

/** Makes startup fail if a route under `/idp/` has no `@Endpoint()`, so that no webhook route is without authentication. */
export function requireIntegrations(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ url, config }) => {
    if (url.startsWith('/idp/') && !config?.authentication) throw new Error(`${url} has no @Endpoint()`);
  });
}
