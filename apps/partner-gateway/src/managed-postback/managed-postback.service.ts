import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  type CountPostbackReplay,
  DeliveryNotFoundError,
  isDeliveryId,
  type ListPostbackDeliveries,
  postbackEnablePath,
  type PostbackEndpointStatus,
  postbackRangeReplayPath,
  postbackStatusPath,
  type ReplayedPostbackDeliveries,
  type ReplayPostbackDeliveries,
} from '@tandem/internal-api';
import { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerRepository } from '../partner/partner.repository';
import { PostbackClient } from '../relay/postback.client';
import type { PartnerCall } from '../relay/current-call.decorator';
import { callOf, type RelayedJson } from '../relay/relay.client';

/** Identifies a partner's postbacks in one environment. */
type PostbackOwner = Omit<PartnerCall, 'requestId'>;

/**
 * Lets managers see and change partners' postbacks, which are stored by postback-dispatcher. One transaction cannot span both apps'
 * databases, so an audit row is written before this class enables postbacks, sends a sample or replays deliveries. A second audit row is
 * written when postbacks were enabled or deliveries were replayed.
 */
@Injectable()
export class ManagedPostbackService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly partners: PartnerRepository,
    private readonly postbacks: PostbackClient,
    private readonly audit: AuditService,
  ) {}

  /** @throws PartnerNotFoundError, PostbackNotConfiguredError, ServiceUnavailableError */
  async getStatus(call: PartnerCall): Promise<PostbackEndpointStatus> {
    await this.partners.get(call.partnerId);
    return this.postbacks.json(200, callOf('GET', postbackStatusPath, call));
  }

  /** @throws PartnerNotFoundError, InvalidCursorError, ValidationFailedError, ServiceUnavailableError */
  async listDeliveries(call: PartnerCall, query: ListPostbackDeliveries): Promise<RelayedJson> {
    await this.partners.get(call.partnerId);
    return this.postbacks.listDeliveries(call, query);
  }

  /** @throws PartnerNotFoundError, ValidationFailedError, ServiceUnavailableError */
  async countReplay(call: PartnerCall, query: CountPostbackReplay): Promise<RelayedJson> {
    await this.partners.get(call.partnerId);
    return this.postbacks.countReplay(call, query);
  }

  /**
   * Enables the postback configuration again. A repeated call changes nothing in postback-dispatcher.
   *
   * @throws PartnerNotFoundError, PostbackNotConfiguredError, ServiceUnavailableError
   */
  async enable({ partnerId, environment }: PostbackOwner, act: Act): Promise<PostbackEndpointStatus> {
    const call = { partnerId, environment, requestId: act.requestId };
    const noted = { id: partnerId, before: { environment, ...(await this.getStatus(call)) } };
    await this.audit.record(this.manager, act, { ...noted, action: 'postback.enable_requested' });
    const enable = callOf('POST', postbackEnablePath, call);
    const status = await this.postbacks.json<PostbackEndpointStatus>(200, enable);
    const after = { environment, ...status };
    await this.audit.recordDone(this.manager, act, { ...noted, action: 'postback.enabled', after });
    return status;
  }

  /**
   * Sends a sample. The call lasts as long as the attempt to reach the partner's endpoint.
   *
   * @throws PartnerNotFoundError, PostbackNotConfiguredError, ServiceUnavailableError
   */
  async sendTest({ partnerId, environment }: PostbackOwner, act: Act): Promise<RelayedJson> {
    await this.partners.get(partnerId);
    const noted = { id: partnerId, after: { environment } };
    await this.audit.record(this.manager, act, { ...noted, action: 'postback.test_requested' });
    return this.postbacks.sendTest({ partnerId, environment, requestId: act.requestId });
  }

  /**
   * @throws PartnerNotFoundError, PostbackNotConfiguredError, PostbackDisabledError, ValidationFailedError, ServiceUnavailableError
   */
  async replayRange(
    { partnerId, environment }: PostbackOwner,
    { from, to, status = null }: ReplayPostbackDeliveries,
    act: Act,
  ): Promise<ReplayedPostbackDeliveries> {
    await this.partners.get(partnerId);
    const range = { partnerId, environment, from, to, status };
    const noted = { id: partnerId, after: range };
    await this.audit.record(this.manager, act, { ...noted, action: 'delivery.range_replay_requested' });
    const call = { partnerId, environment, requestId: act.requestId };
    const replay = callOf('POST', postbackRangeReplayPath, call, { body: { from, to, status } });
    const replayed = await this.postbacks.json<ReplayedPostbackDeliveries>(202, replay);
    const after = { ...range, ...replayed };
    await this.audit.recordDone(this.manager, act, { ...noted, after, action: 'delivery.range_replayed' });
    return replayed;
  }

  /**
   * @throws PartnerNotFoundError, DeliveryNotFoundError, SaleClosedError, PostbackNotConfiguredError,
   *   PostbackDisabledError, ServiceUnavailableError
   */
  async replayDelivery({ partnerId, environment }: PostbackOwner, id: string, act: Act): Promise<RelayedJson> {
    await this.partners.get(partnerId);
    if (!isDeliveryId(id)) throw new DeliveryNotFoundError();
    const noted = { id, after: { partnerId, environment } };
    await this.audit.record(this.manager, act, { ...noted, action: 'delivery.replay_requested' });
    const replayed = await this.postbacks.replayDelivery({ partnerId, environment, requestId: act.requestId }, id);
    await this.audit.recordDone(this.manager, act, { ...noted, action: 'delivery.replayed' });
    return replayed;
  }
}
