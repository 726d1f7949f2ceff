import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  isDeliveryId,
  type ListPostbackDeliveries,
  postbackEnablePath,
  type PostbackEndpointStatus,
  postbackStatusPath,
} from '@tandem/internal-api';
import { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { type AuditedChange, AuditService } from '../audit/audit.service';
import { PartnerNotFoundError } from '../partner/partner.errors';
import { PartnerRepository } from '../partner/partner.repository';
import { PostbackClient } from '../postback/postback.client';
import { DeliveryNotFoundError } from '../postback/postback.errors';
import type { PartnerCall } from '../relay/current-call.decorator';
import type { RelayedJson } from '../relay/relay.client';

/** A partner's postbacks in one environment. */
type PostbackOwner = Omit<PartnerCall, 'requestId'>;

/**
 * What managers do with the postbacks of partners, which are postback-dispatcher's. Two databases cannot be changed in one
 * transaction: so an act is noted down before, and once more when it is done.
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
  async getStatus(caller: PartnerCall): Promise<PostbackEndpointStatus> {
    await this.checkPartner(caller.partnerId);
    return this.readStatus(caller);
  }

  /** @throws PartnerNotFoundError, InvalidCursorError, ValidationFailedError, ServiceUnavailableError */
  async listDeliveries(caller: PartnerCall, query: ListPostbackDeliveries): Promise<RelayedJson> {
    await this.checkPartner(caller.partnerId);
    return this.postbacks.listDeliveries(caller, query);
  }

  /** A repeat changes nothing. @throws PartnerNotFoundError, PostbackNotConfiguredError, ServiceUnavailableError */
  async enable({ partnerId, environment }: PostbackOwner, act: Act): Promise<PostbackEndpointStatus> {
    await this.checkPartner(partnerId);
    const caller = { partnerId, environment, requestId: act.requestId };
    const before = await this.readStatus(caller);
    const noted = { entity: 'postback', entityId: partnerId, before: { environment, ...before } } as const;
    await this.record(act, { ...noted, action: 'postback.enable_requested', after: null });
    const path = postbackEnablePath(partnerId, environment);
    const call = { method: 'POST', path, requestId: act.requestId } as const;
    const status = await this.postbacks.json<PostbackEndpointStatus>(200, call);
    await this.record(act, { ...noted, action: 'postback.enabled', after: { environment, ...status } });
    return status;
  }

  /**
   * @throws PartnerNotFoundError, DeliveryNotFoundError, SaleClosedError, PostbackNotConfiguredError,
   *   PostbackDisabledError, ServiceUnavailableError
   */
  async replayDelivery({ partnerId, environment }: PostbackOwner, id: string, act: Act): Promise<RelayedJson> {
    await this.checkPartner(partnerId);
    if (!isDeliveryId(id)) throw new DeliveryNotFoundError();
    const noted = { entity: 'delivery', entityId: id, before: null, after: { partnerId, environment } } as const;
    await this.record(act, { ...noted, action: 'delivery.replay_requested' });
    const replayed = await this.postbacks.replayDelivery({ partnerId, environment, requestId: act.requestId }, id);
    await this.record(act, { ...noted, action: 'delivery.replayed' });
    return replayed;
  }

  private readStatus({ partnerId, environment, requestId }: PartnerCall): Promise<PostbackEndpointStatus> {
    const path = postbackStatusPath(partnerId, environment);
    return this.postbacks.json(200, { method: 'GET', path, requestId });
  }

  private async checkPartner(id: string): Promise<void> {
    if (!(await this.partners.find(id))) throw new PartnerNotFoundError();
  }

  private record(act: Act, change: AuditedChange): Promise<void> {
    return this.audit.record(this.manager, act, change);
  }
}
