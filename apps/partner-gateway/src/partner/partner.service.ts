import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { maskEmail } from '@tandem/contracts';
import { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import { type Page, pageRequest, toPage } from '../paging/page.rules';
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

  async changePartner(id: string, body: ChangePartnerBody, act: Act): Promise<PartnerView> {
    return this.manager.transaction(async (manager) => {
      const partner = await this.partners.findForUpdate(manager, id);
      if (!partner) throw new PartnerNotFoundError();
      const change = {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.active === undefined ? {} : { active: body.active }),
        ...(body.revokeWindowDays === undefined ? {} : { revokeWindowDays: body.revokeWindowDays }),
        ...(body.contactEmail === undefined ? {} : this.contacts.columnsOf(id, body.contactEmail)),
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

  private viewOf(partner: Omit<Partner, 'seq'>): PartnerView {
    return {
      id: partner.id,
      name: partner.name,
      kind: partner.kind,
      active: partner.active,
      contactEmail: this.contacts.read(partner),
      revokeWindowDays: partner.revokeWindowDays,
      createdAt: partner.createdAt.toISOString(),
      updatedAt: partner.updatedAt.toISOString(),
    };
  }
}

/** Audit rows never carry a full e-mail address. */
const audited = (view: PartnerView) => ({
  ...view,
  contactEmail: view.contactEmail === null ? null : maskEmail(view.contactEmail),
});
