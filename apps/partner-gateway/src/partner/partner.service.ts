import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { maskEmail } from '@tandem/contracts';
import { type EndpointLimits, endpointLimitsPath, type SavedEndpointLimits } from '@tandem/internal-api';
import { type Page, viewAs, viewsOf } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import { PostbackClient } from '../relay/postback.client';
import { ContactEmails } from './contact-email';
import {
  type ChangePartnerBody,
  type CreatePartnerBody,
  type Deactivation,
  PartnerDto,
  type PartnersQuery,
} from './partner.dto';
import type { Partner } from './partner.entity';
import { PartnerRepository } from './partner.repository';

@Injectable()
export class PartnerService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly contacts: ContactEmails,
    private readonly postbacks: PostbackClient,
    private readonly config: PartnerGatewayConfig,
  ) {}

  /** Creates an account. Endpoint limits are set first, as in {@link changePartner}: if that fails, no partner is created. */
  async createPartner(body: CreatePartnerBody, act: Act): Promise<PartnerDto> {
    const id = `ptn_${randomUUID().replaceAll('-', '')}`;
    const wanted = body.endpointLimits?.concurrency ?? null;
    const limits = wanted === null ? NO_LIMITS : await this.requestEndpointLimits(id, { concurrency: wanted }, act);
    const now = new Date();
    const partner: Omit<Partner, 'seq'> = {
      id,
      name: body.name,
      kind: body.kind,
      active: true,
      ...this.contacts.columnsOf(id, body.contactEmail ?? null),
      revokeWindowDays: body.revokeWindowDays ?? this.config.REVOKE_WINDOW_DAYS,
      endpointConcurrency: limits.concurrency,
      endpointLimitsRevision: limits.revision,
      createdAt: now,
      updatedAt: now,
    };
    const view = this.viewOf(partner);
    await this.manager.transaction(async (manager) => {
      await this.partners.insert(manager, partner);
      await this.audit.record(manager, act, { action: 'partner.created', id, after: audited(view) });
    });
    return view;
  }

  /**
   * Changes the given fields. Endpoint limits belong to postback-dispatcher and are set first: if that fails, nothing else changes, and a
   * repeat completes the interrupted change.
   */
  async changePartner(id: string, body: ChangePartnerBody, act: Act): Promise<PartnerDto> {
    const limits = body.endpointLimits && (await this.changeEndpointLimits(id, body.endpointLimits, act));
    return this.manager.transaction(async (manager) => {
      const partner = await this.partners.getForUpdate(manager, id);
      const change = {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.active === undefined ? {} : { active: body.active }),
        ...(body.revokeWindowDays === undefined ? {} : { revokeWindowDays: body.revokeWindowDays }),
        ...(body.contactEmail === undefined ? {} : this.contacts.columnsOf(id, body.contactEmail)),
        ...(limits === undefined ? {} : newerLimits(partner, limits)),
        updatedAt: new Date(),
      };
      await this.partners.update(manager, id, change);
      const view = this.viewOf({ ...partner, ...change });
      const before = audited(this.viewOf(partner));
      await this.audit.record(manager, act, { action: 'partner.changed', id, before, after: audited(view) });
      return view;
    });
  }

  async getPartner(id: string): Promise<PartnerDto> {
    return this.viewOf(await this.partners.get(id));
  }

  /** Counts what the deactivation of the partner would affect now. @throws PartnerNotFoundError */
  async previewDeactivation(id: string): Promise<Deactivation> {
    await this.partners.get(id);
    return this.partners.findAffected(id);
  }

  async listPartners(query: PartnersQuery): Promise<Page<PartnerDto>> {
    return viewsOf(await this.partners.findPage(query), (partner) => this.viewOf(partner));
  }

  private async changeEndpointLimits(id: string, limits: EndpointLimits, act: Act): Promise<SavedEndpointLimits> {
    await this.partners.get(id);
    return this.requestEndpointLimits(id, limits, act);
  }

  /**
   * Two databases cannot be changed in one transaction, so an audit row is written before and after the change. The
   * dispatcher is called even when the limits seem unchanged: after an interrupted change the copy here is outdated.
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

  private viewOf(partner: Omit<Partner, 'seq'>): PartnerDto {
    const endpointLimits = { concurrency: partner.endpointConcurrency };
    return viewAs(PartnerDto, { ...partner, contactEmail: this.contacts.read(partner), endpointLimits });
  }
}

/** The limits of a partner for which none were ever set: the platform's default. */
const NO_LIMITS: SavedEndpointLimits = { concurrency: null, revision: 0 };

/** Returns the columns for the dispatcher's answer; none when the answer to a later change has already been stored. */
function newerLimits(
  { endpointLimitsRevision }: Partner,
  { concurrency, revision }: SavedEndpointLimits,
): Partial<Pick<Partner, 'endpointConcurrency' | 'endpointLimitsRevision'>> {
  if (revision < endpointLimitsRevision) return {};
  return { endpointConcurrency: concurrency, endpointLimitsRevision: revision };
}

/** Audit rows never carry a full e-mail address. */
const audited = (view: PartnerDto) => ({
  ...view,
  contactEmail: view.contactEmail === null ? null : maskEmail(view.contactEmail),
});
