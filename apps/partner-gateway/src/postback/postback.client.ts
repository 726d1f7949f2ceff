import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  DeliveryNotFoundError as UnknownDeliveryError,
  type EndpointLimits,
  endpointLimitsPath,
  type InternalCall,
  InternalClient,
  InvalidCursorError,
  isDeliveryId,
  POSTBACK_ERRORS,
  postbackConfigurationPath,
  type PostbackConfigurationView,
  postbackDeliveriesPath,
  postbackEnablePath,
  type PostbackEndpointStatus,
  postbackRangeReplayPath,
  postbackReplayPath,
  postbackSigningSecretPath,
  postbackStatusPath,
  postbackTestPath,
  type SavedEndpointLimits,
} from '@tandem/internal-api';
import { PartnerGatewayConfig } from '../config';
import type { ListDeliveriesQuery } from './postback-delivery.dto';
import { DeliveryNotFoundError } from './postback.errors';

/** Whose configuration is meant, and the request on whose behalf it is asked for. */
export interface PostbackCaller {
  partnerId: string;
  environment: string;
  requestId: string;
}

/** JSON as postback-dispatcher wrote it: it is passed on as it is. */
export type RelayedJson = string;

/** Longer than any cursor that was ever given out. */
const LONGEST_CURSOR = 255;

/**
 * postback-dispatcher, which owns postback configurations and deliveries, over its internal HTTP. All throw
 * ServiceUnavailableError.
 */
@Injectable()
export class PostbackClient implements OnApplicationShutdown {
  private readonly client: InternalClient;
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
    this.client = new InternalClient({ ...options, timeoutMs: config.POSTBACK_DISPATCHER_TIMEOUT_MS, connections: 32 });
    this.slowClient = new InternalClient({ ...options, timeoutMs: config.POSTBACK_TEST_TIMEOUT_MS });
  }

  /** @throws PostbackNotConfiguredError */
  getConfiguration({ partnerId, environment, requestId }: PostbackCaller): Promise<PostbackConfigurationView> {
    const path = postbackConfigurationPath(partnerId, environment);
    return this.client.json(200, { method: 'GET', path, requestId });
  }

  /** @throws PostbackNotConfiguredError */
  getStatus({ partnerId, environment, requestId }: PostbackCaller): Promise<PostbackEndpointStatus> {
    const path = postbackStatusPath(partnerId, environment);
    return this.client.json(200, { method: 'GET', path, requestId });
  }

  /** May be repeated. @throws PostbackNotConfiguredError */
  enable({ partnerId, environment, requestId }: PostbackCaller): Promise<PostbackEndpointStatus> {
    const path = postbackEnablePath(partnerId, environment);
    return this.client.json(200, { method: 'POST', path, requestId });
  }

  /**
   * @param wanted what the partner sent: its rules are the dispatcher's
   * @throws ValidationFailedError with the dispatcher's fields
   */
  async saveConfiguration(
    { partnerId, environment, requestId }: PostbackCaller,
    wanted: object,
  ): Promise<{ created: boolean; configuration: PostbackConfigurationView }> {
    const path = postbackConfigurationPath(partnerId, environment);
    const answer = await this.client.call([200, 201], { method: 'PUT', path, body: wanted, requestId });
    return { created: answer.status === 201, configuration: answer.json() };
  }

  /** @throws PostbackNotConfiguredError */
  rotateSigningSecret({ partnerId, environment, requestId }: PostbackCaller): Promise<RelayedJson> {
    const path = postbackSigningSecretPath(partnerId, environment);
    return this.relay(200, { method: 'POST', path, requestId });
  }

  /** Takes as long as the partner's endpoint does, up to the time of an attempt. @throws PostbackNotConfiguredError */
  async sendTest({ partnerId, environment, requestId }: PostbackCaller): Promise<RelayedJson> {
    const path = postbackTestPath(partnerId, environment);
    return (await this.slowClient.call([200], { method: 'POST', path, requestId })).text;
  }

  /** @throws InvalidCursorError, ValidationFailedError */
  async listDeliveries(
    { partnerId, environment, requestId }: PostbackCaller,
    { cursor, status, oid, refId, limit }: ListDeliveriesQuery,
  ): Promise<RelayedJson> {
    if (cursor !== undefined && cursor.length > LONGEST_CURSOR) throw new InvalidCursorError();
    const path = postbackDeliveriesPath(partnerId, environment);
    const query = { cursor, status, oid, refId, limit: limit?.toString() };
    return this.relay(200, { method: 'GET', path, query, requestId });
  }

  /** @throws DeliveryNotFoundError, PostbackNotConfiguredError, PostbackDisabledError */
  async replayDelivery({ partnerId, environment, requestId }: PostbackCaller, id: string): Promise<RelayedJson> {
    if (!isDeliveryId(id)) throw new DeliveryNotFoundError();
    const path = postbackReplayPath(partnerId, environment, id);
    return this.relay(202, { method: 'POST', path, requestId }).catch((error: unknown) => {
      throw error instanceof UnknownDeliveryError ? new DeliveryNotFoundError() : error;
    });
  }

  /**
   * @param range what the partner sent: its rules are the dispatcher's
   * @throws ValidationFailedError with the dispatcher's fields, PostbackNotConfiguredError, PostbackDisabledError
   */
  replayRange({ partnerId, environment, requestId }: PostbackCaller, range: object): Promise<RelayedJson> {
    const path = postbackRangeReplayPath(partnerId, environment);
    return this.relay(202, { method: 'POST', path, body: range, requestId });
  }

  /** May be repeated. */
  saveEndpointLimits(partnerId: string, limits: EndpointLimits, requestId: string): Promise<SavedEndpointLimits> {
    const path = endpointLimitsPath(partnerId);
    return this.client.json(200, { method: 'PUT', path, body: limits, requestId });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client.close(), this.slowClient.close()]);
  }

  private async relay(expected: number, call: InternalCall): Promise<RelayedJson> {
    return (await this.client.call([expected], call)).text;
  }
}
