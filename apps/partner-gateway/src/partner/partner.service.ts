import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { maskEmail } from '@tandem/contracts';
import { type EndpointLimits, type SavedEndpointLimits } from '@tandem/internal-api';
import { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import { type Page, pageRequest, toPage } from '../paging/page.rules';
import { PostbackClient } from '../postback/postback.client';
import { ContactEmails } from './contact-email';
import type { ChangePartnerBody, CreatePartnerBody } from './partner.dto';
import type { Partner, PartnerKind } from './partner.entity';
import { PartnerNotFoundError } from './partner.errors';
import { PartnerRepository } from './partner.repository';

/** What a manager sees of a partner. */
export interface PartnerView {
  id: string;
  name: string;
  kind: PartnerKind;
  active: boolean;
  contactEmail: string | null;
  revokeWindowDays: number;
  endpointLimits: EndpointLimits;
  createdAt: string;
  updatedAt: string;
}

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

  async createPartner(body: CreatePartnerBody, act: Act): Promise<PartnerView> {
    const id = `ptn_${randomUUID().replaceAll('-', '')}`;
    const now = new Date();
    const partner: Omit<Partner, 'seq'> = {
      id,
      name: body.name,
      kind: body.kind,
      active: true,
      ...this.contacts.columnsOf(id, body.contactEmail ?? null),
      revokeWindowDays: body.revokeWindowDays ?? this.config.REVOKE_WINDOW_DAYS,
      endpointConcurrency: null,
      endpointLimitsRevision: 0,
      createdAt: now,
      updatedAt: now,
    };
    const view = this.viewOf(partner);
    await this.manager.transaction(async (manager) => {
      await this.partners.insert(manager, partner);
      await this.audit.record(manager, act, {
        action: 'partner.created',
        entity: 'partner',
        entityId: id,
        before: null,
        after: audited(view),
      });
    });
    return view;
  }

  /**
   * Changes what is given. Endpoint limits are postback-dispatcher's, so they go first: without an answer nothing else changes,
   * and a repeat makes good what was broken off in between.
   */
  async changePartner(id: string, body: ChangePartnerBody, act: Act): Promise<PartnerView> {
    const limits = body.endpointLimits && (await this.saveEndpointLimits(id, body.endpointLimits, act));
    return this.manager.transaction(async (manager) => {
      const partner = await this.partners.findForUpdate(manager, id);
      if (!partner) throw new PartnerNotFoundError();
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
      await this.audit.record(manager, act, {
        action: 'partner.changed',
        entity: 'partner',
        entityId: id,
        before: audited(this.viewOf(partner)),
        after: audited(view),
      });
      return view;
    });
  }

  async getPartner(id: string): Promise<PartnerView> {
    const partner = await this.partners.find(id);
    if (!partner) throw new PartnerNotFoundError();
    return this.viewOf(partner);
  }

  async listPartners(query: { cursor?: string; limit: number }): Promise<Page<PartnerView>> {
    const request = pageRequest('partners', query);
    return toPage('partners', request, await this.partners.findPage(request), (partner) => this.viewOf(partner));
  }

  /**
   * Two databases cannot be changed in one transaction: so the act is noted down before, and once more when it is done. The
   * dispatcher is asked also when the limits seem to be the same: the copy here is behind after an act that was broken off.
   */
  private async saveEndpointLimits(
    id: string,
    { concurrency }: EndpointLimits,
    act: Act,
  ): Promise<SavedEndpointLimits> {
    if (!(await this.partners.find(id))) throw new PartnerNotFoundError();
    await this.audit.record(this.manager, act, {
      action: 'partner.change_requested',
      entity: 'partner',
      entityId: id,
      before: null,
      after: { endpointLimits: { concurrency } },
    });
    return this.postbacks.saveEndpointLimits(id, { concurrency }, act.requestId);
  }

  private viewOf(partner: Omit<Partner, 'seq'>): PartnerView {
    return {
      id: partner.id,
      name: partner.name,
      kind: partner.kind,
      active: partner.active,
      contactEmail: this.contacts.read(partner),
      revokeWindowDays: partner.revokeWindowDays,
      endpointLimits: { concurrency: partner.endpointConcurrency },
      createdAt: partner.createdAt.toISOString(),
      updatedAt: partner.updatedAt.toISOString(),
    };
  }
}

/** The columns for the dispatcher's answer; none, when that of a later act was here first. */
function newerLimits(
  { endpointLimitsRevision }: Partner,
  { concurrency, revision }: SavedEndpointLimits,
): Partial<Pick<Partner, 'endpointConcurrency' | 'endpointLimitsRevision'>> {
  if (revision < endpointLimitsRevision) return {};
  return { endpointConcurrency: concurrency, endpointLimitsRevision: revision };
}

/** Audit rows never carry a full e-mail address. */
const audited = (view: PartnerView) => ({
  ...view,
  contactEmail: view.contactEmail === null ? null : maskEmail(view.contactEmail),
});
