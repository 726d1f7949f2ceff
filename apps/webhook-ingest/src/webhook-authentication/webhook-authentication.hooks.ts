import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { isEncoded } from '@tandem/service-defaults';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { WebhookIngestConfig } from '../config';
import { PAYMENT_WEBHOOK_PATH, PLAN_CHANGE_WEBHOOK_PATH } from '../payment-webhook/payment-webhook.paths';
import { UnauthorizedCallerError, UnsupportedContentError } from './webhook-authentication.errors';
import { isJsonContent } from './webhook-authentication.rules';
import { type Integration, WebhookAuthenticationService } from './webhook-authentication.service';

/**
 * Authenticates callers in Fastify's hooks: a Nest guard would run only after the body was read, and a stranger should not
 * make us read 256 KiB.
 */
@Injectable()
export class WebhookAuthenticationHooks implements OnModuleInit {
  private readonly logger = new Logger('webhook');
  private readonly integrations: ReadonlyMap<string, Integration>;
  private readonly awaitingSignature = new WeakSet<FastifyRequest>();

  constructor(
    config: WebhookIngestConfig,
    private readonly authentication: WebhookAuthenticationService,
    private readonly adapterHost: HttpAdapterHost,
  ) {
    const payments: Integration = { secrets: config.webhookSecrets, scope: 'payments' };
    this.integrations = new Map([
      [PAYMENT_WEBHOOK_PATH, payments],
      [PLAN_CHANGE_WEBHOOK_PATH, payments],
    ]);
  }

  onModuleInit(): void {
    const fastify = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request) => this.logged(request, () => this.admit(request)));
    fastify.addHook('preHandler', (request) => this.logged(request, async () => this.verify(request)));
  }

  /** Before the body is read. */
  private async admit(request: FastifyRequest): Promise<void> {
    const integration = this.integrationOf(request);
    if (!integration) return;
    const address = request.socket.remoteAddress ?? '';
    const kind = await this.authentication.admitCaller(integration, request.headers, address);
    if (kind === 'signature') this.awaitingSignature.add(request);
  }

  /** When the body was read, and before anybody looks at it. */
  private verify(request: FastifyRequest): void {
    const integration = this.integrationOf(request);
    if (!integration) return;
    if (this.awaitingSignature.has(request)) {
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      this.authentication.verifySignature(integration, request.headers, rawBody, new Date());
    }
    if (!isJsonContent(request.headers['content-type']) || isEncoded(request)) throw new UnsupportedContentError();
  }

  /** Undefined for health, metrics and docs. A webhook that no integration is known for is closed to everybody. */
  private integrationOf(request: FastifyRequest): Integration | undefined {
    const url = request.routeOptions.url ?? '';
    const integration = this.integrations.get(url);
    if (!integration && url.startsWith('/idp/')) throw new UnauthorizedCallerError('no_integration');
    return integration;
  }

  /** The canonical log line of a webhook that was refused before it had an id. */
  private async logged(request: FastifyRequest, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const reason = error instanceof UnauthorizedCallerError ? error.reason : undefined;
      if (reason)
        this.logger.log({ msg: 'webhook.received', outcome: 'unauthorized', reason, path: request.routeOptions.url });
      throw error;
    }
  }
}
