import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { maskEmail } from '@tandem/contracts';
import type { SavedEndpointLimits } from '@tandem/internal-api';
import { viewAs } from '@tandem/http-api';
import type { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import { ContactEmails } from './contact-email';
import { type ChangePartnerBody, type CreatePartnerBody, PartnerDto } from './partner.dto';
import type { Partner } from './partner.entity';
import { PartnerRepository } from './partner.repository';

/** A new account; endpoint limits are those that postback-dispatcher has saved. */
export type NewPartner = Omit<CreatePartnerBody, 'endpointLimits'> & { id?: string; limits?: SavedEndpointLimits };

/** What changes of an account. */
export type PartnerChange = Omit<ChangePartnerBody, 'endpointLimits'> & { limits?: SavedEndpointLimits };

/** Writes partners' accounts in the transaction of an act, each with its audit row. */
@Injectable()
export class PartnerAccounts {
  constructor(
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly contacts: ContactEmails,
    private readonly config: PartnerGatewayConfig,
  ) {}

  async create(manager: EntityManager, wanted: NewPartner, act: Act): Promise<PartnerDto> {
    const { id = newPartnerId(), limits = NO_LIMITS, name, kind } = wanted;
    const now = new Date();
    const partner: Omit<Partner, 'seq'> = {
      ...{ id, name, kind, active: true },
      ...this.contacts.columnsOf(id, wanted.contactEmail ?? null),
      revokeWindowDays: wanted.revokeWindowDays ?? this.config.REVOKE_WINDOW_DAYS,
      endpointConcurrency: limits.concurrency,
      endpointLimitsRevision: limits.revision,
      createdAt: now,
      updatedAt: now,
    };
    await this.partners.insert(manager, partner);
    const view = this.viewOf(partner);
    await this.audit.record(manager, act, { action: 'partner.created', id, after: audited(view) });
    return view;
  }

  /** Changes the given fields. @throws PartnerNotFoundError */
  async change(manager: EntityManager, id: string, wanted: PartnerChange, act: Act): Promise<PartnerDto> {
    const before = await this.partners.getForUpdate(manager, id);
    const { name, active, revokeWindowDays, contactEmail, limits } = wanted;
    const change = {
      ...(name === undefined ? {} : { name }),
      ...(active === undefined ? {} : { active }),
      ...(revokeWindowDays === undefined ? {} : { revokeWindowDays }),
      ...(contactEmail === undefined ? {} : this.contacts.columnsOf(id, contactEmail)),
      ...(limits === undefined ? {} : newerLimits(before, limits)),
      updatedAt: new Date(),
    };
    await this.partners.update(manager, id, change);
    const view = this.viewOf({ ...before, ...change });
    const entry = { id, before: audited(this.viewOf(before)), after: audited(view) };
    await this.audit.record(manager, act, { action: 'partner.changed', ...entry });
    return view;
  }

  viewOf(partner: Omit<Partner, 'seq'>): PartnerDto {
    const endpointLimits = { concurrency: partner.endpointConcurrency };
    return viewAs(PartnerDto, { ...partner, contactEmail: this.contacts.read(partner), endpointLimits });
  }
}

export const newPartnerId = (): string => `ptn_${randomUUID().replaceAll('-', '')}`;

/** For a partner whose limits were never set: the platform's default. */
const NO_LIMITS: SavedEndpointLimits = { concurrency: null, revision: 0 };

/** The columns for the dispatcher's answer; none when the answer to a later act has already been stored. */
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
