import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { type EndpointLimits, endpointLimitsPath, type SavedEndpointLimits } from '@tandem/internal-api';
import { type Page, viewsOf } from '@tandem/http-api';
import { Outbox } from '@tandem/messaging';
import { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PostbackClient } from '../relay/postback.client';
import { newPartnerId, PartnerAccounts } from './partner-accounts';
import {
  type ChangePartnerBody,
  type CreatePartnerBody,
  type Deactivation,
  type PartnerDto,
  type PartnersQuery,
  type Publication,
} from './partner.dto';
import { PartnerRepository } from './partner.repository';

@Injectable()
export class PartnerService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly partners: PartnerRepository,
    private readonly accounts: PartnerAccounts,
    private readonly audit: AuditService,
    private readonly postbacks: PostbackClient,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Creates an account. If the body has an endpoint limit that is not null, the limit is set in postback-dispatcher first, as in
   * {@link changePartner}: if postback-dispatcher fails, no partner is created.
   */
  async createPartner({ endpointLimits, ...body }: CreatePartnerBody, act: Act): Promise<PartnerDto> {
    const id = newPartnerId();
    const concurrency = endpointLimits?.concurrency ?? null;
    const limits = concurrency === null ? undefined : await this.requestEndpointLimits(id, { concurrency }, act);
    return this.outbox.transaction((manager) => this.accounts.create(manager, { ...body, id, limits }, act));
  }

  /**
   * Changes the given fields. Endpoint limits are stored by postback-dispatcher and are set there first. If postback-dispatcher fails,
   * the partner does not change. If a change was interrupted, the caller completes the change by repeating the request.
   */
  async changePartner(id: string, { endpointLimits, ...body }: ChangePartnerBody, act: Act): Promise<PartnerDto> {
    const limits = endpointLimits && (await this.changeEndpointLimits(id, endpointLimits, act));
    return this.outbox.transaction((manager) => this.accounts.change(manager, id, { ...body, limits }, act));
  }

  /** Publishes `partner.changed` again, for every partner. */
  async publishPartners(act: Act): Promise<Publication> {
    return { published: await this.accounts.publishAll(act) };
  }

  async getPartner(id: string): Promise<PartnerDto> {
    return this.accounts.viewOf(await this.partners.get(id));
  }

  /** Returns the tokens, the promotion and the sales that a deactivation of the partner would affect now. @throws PartnerNotFoundError */
  async previewDeactivation(id: string): Promise<Deactivation> {
    await this.partners.get(id);
    return this.partners.findAffected(id);
  }

  async listPartners(query: PartnersQuery): Promise<Page<PartnerDto>> {
    return viewsOf(await this.partners.findPage(query), (partner) => this.accounts.viewOf(partner));
  }

  private async changeEndpointLimits(id: string, limits: EndpointLimits, act: Act): Promise<SavedEndpointLimits> {
    await this.partners.get(id);
    return this.requestEndpointLimits(id, limits, act);
  }

  /**
   * Sets the limits in postback-dispatcher. One transaction cannot span both apps' databases, so this method writes one audit row before
   * the limits are set. The caller writes another row together with the creation or change of the partner. postback-dispatcher is called
   * even when the limits seem unchanged, because this app's copy of the limits is outdated after an interrupted change.
   */
  private async requestEndpointLimits(
    id: string,
    { concurrency }: EndpointLimits,
    act: Act,
  ): Promise<SavedEndpointLimits> {
    const after = { endpointLimits: { concurrency } };
    await this.audit.record(this.manager, act, { action: 'partner.change_requested', id, after });
    const path = endpointLimitsPath(id);
    return this.postbacks.json(200, { method: 'PUT', path, body: { concurrency }, requestId: act.requestId });
  }
}
