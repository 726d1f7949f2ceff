import { Injectable } from '@nestjs/common';
import {
  DeliveryNotFoundError as UnknownDeliveryError,
  InternalClient,
  isDeliveryId,
  type ListPostbackDeliveries,
  POSTBACK_ERRORS,
  postbackDeliveriesPath,
  postbackReplayPath,
  postbackTestPath,
} from '@tandem/internal-api';
import { PartnerGatewayConfig } from '../config';
import type { PartnerCall } from '../relay/current-call.decorator';
import { RelayClient, type RelayedJson } from '../relay/relay.client';
import { DeliveryNotFoundError } from './postback.errors';

/** postback-dispatcher, which owns postback configurations and deliveries, over its internal HTTP. */
@Injectable()
export class PostbackClient extends RelayClient {
  /** For calls that wait for a partner's endpoint: hung ones must not take the connections that all others need. */
  private readonly slowClient: InternalClient;

  constructor(config: PartnerGatewayConfig) {
    const options = {
      from: 'partner-gateway',
      to: 'postback-dispatcher',
      url: config.POSTBACK_DISPATCHER_URL,
      secrets: config.INTERNAL_TOKEN_SECRETS,
      errors: POSTBACK_ERRORS,
      unavailable: 'Postbacks cannot be reached now; try again.',
    };
    super({ ...options, timeoutMs: config.POSTBACK_DISPATCHER_TIMEOUT_MS, connections: 32 });
    this.slowClient = new InternalClient({ ...options, timeoutMs: config.POSTBACK_TEST_TIMEOUT_MS });
  }

  /** Takes as long as the partner's endpoint does, up to the time of an attempt. @throws PostbackNotConfiguredError */
  async sendTest({ partnerId, environment, requestId }: PartnerCall): Promise<RelayedJson> {
    const path = postbackTestPath(partnerId, environment);
    return (await this.slowClient.call([200], { method: 'POST', path, requestId })).text;
  }

  /** @throws InvalidCursorError, ValidationFailedError */
  async listDeliveries(
    { partnerId, environment, requestId }: PartnerCall,
    { cursor, status, oid, refId, limit }: ListPostbackDeliveries,
  ): Promise<RelayedJson> {
    const path = postbackDeliveriesPath(partnerId, environment);
    const query = { cursor, status, oid, refId, limit: limit?.toString() };
    return this.relay(200, { method: 'GET', path, query, requestId });
  }

  /** @throws DeliveryNotFoundError, SaleClosedError, PostbackNotConfiguredError, PostbackDisabledError */
  async replayDelivery({ partnerId, environment, requestId }: PartnerCall, id: string): Promise<RelayedJson> {
    if (!isDeliveryId(id)) throw new DeliveryNotFoundError();
    const path = postbackReplayPath(partnerId, environment, id);
    return this.relay(202, { method: 'POST', path, requestId }).catch((error: unknown) => {
      throw error instanceof UnknownDeliveryError ? new DeliveryNotFoundError() : error;
    });
  }

  override onApplicationShutdown(): Promise<unknown> {
    return Promise.all([this.close(), this.slowClient.close()]);
  }
}
