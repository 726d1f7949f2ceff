import { Injectable } from '@nestjs/common';
import {
  type CountPostbackReplay,
  DeliveryNotFoundError,
  type InternalClient,
  isDeliveryId,
  type ListPostbackDeliveries,
  POSTBACK_ERRORS,
  postbackDeliveriesPath,
  postbackRangeReplayPath,
  postbackReplayPath,
  postbacksOfSalesPath,
  postbackTestPath,
  type SalePostback,
  type SalePostbacks,
} from '@tandem/internal-api';
import { PartnerGatewayConfig } from '../config';
import type { PartnerCall } from './current-call.decorator';
import { callOf, RelayClient, type RelayedJson } from './relay.client';

/**
 * How long the story of a sale waits for postback-dispatcher. The wait is short, because an incomplete story within seconds is better than
 * a complete story much later.
 */
const STORY_TIMEOUT_MS = 3_000;
const STORY_CONNECTIONS = 8;

/** Calls postback-dispatcher, which stores postback configurations and deliveries. */
@Injectable()
export class PostbackClient extends RelayClient {
  /** The client for calls that wait for a partner's endpoint. Its timeout is `POSTBACK_TEST_TIMEOUT_MS`. */
  private readonly testClient: InternalClient;
  /** The client for the facts of a sale's story. Its timeout is at most `STORY_TIMEOUT_MS`. */
  readonly storyClient: InternalClient;

  constructor(config: PartnerGatewayConfig) {
    super({
      from: 'partner-gateway',
      to: 'postback-dispatcher',
      url: config.POSTBACK_DISPATCHER_URL,
      credentials: config,
      errors: POSTBACK_ERRORS,
      unavailable: 'Postbacks cannot be reached now; try again.',
      timeoutMs: config.POSTBACK_DISPATCHER_TIMEOUT_MS,
      connections: 32,
    });
    this.testClient = this.withTimeout(config.POSTBACK_TEST_TIMEOUT_MS);
    this.storyClient = this.withTimeout(
      Math.min(STORY_TIMEOUT_MS, config.POSTBACK_DISPATCHER_TIMEOUT_MS),
      STORY_CONNECTIONS,
    );
  }

  /**
   * Sends a sample. The call waits for the partner's endpoint, up to the timeout of an attempt.
   *
   * @throws PostbackNotConfiguredError, ServiceUnavailableError
   */
  async sendTest(call: PartnerCall): Promise<RelayedJson> {
    return (await this.testClient.call([200], callOf('POST', postbackTestPath, call))).text;
  }

  /** @throws InvalidCursorError, ValidationFailedError, ServiceUnavailableError */
  async listDeliveries(call: PartnerCall, query: ListPostbackDeliveries): Promise<RelayedJson> {
    return this.relay(200, 'GET', postbackDeliveriesPath, call, { query: { ...query } });
  }

  /**
   * Counts the deliveries that the replay of a range would send. An older version of postback-dispatcher has no such endpoint and answers
   * 405, which this method reports as a ServiceUnavailableError.
   *
   * @throws ValidationFailedError, ServiceUnavailableError
   */
  async countReplay(call: PartnerCall, query: CountPostbackReplay): Promise<RelayedJson> {
    return this.relay(200, 'GET', postbackRangeReplayPath, call, { query: { ...query } });
  }

  /** Returns the postbacks of these sales. A sale without a postback has no item. @throws ServiceUnavailableError */
  async findOfSales(call: PartnerCall, oids: readonly string[]): Promise<SalePostback[]> {
    const asked = callOf('POST', postbacksOfSalesPath, call, { body: { oids } });
    return (await this.json<SalePostbacks>(200, asked)).items;
  }

  /** @throws DeliveryNotFoundError, SaleClosedError, PostbackNotConfiguredError, PostbackDisabledError, ServiceUnavailableError */
  async replayDelivery(call: PartnerCall, id: string): Promise<RelayedJson> {
    if (!isDeliveryId(id)) throw new DeliveryNotFoundError();
    return this.relay(202, 'POST', (...owner) => postbackReplayPath(...owner, id), call);
  }

  override onApplicationShutdown(): Promise<unknown> {
    return Promise.all([this.close(), this.testClient.close(), this.storyClient.close()]);
  }
}
