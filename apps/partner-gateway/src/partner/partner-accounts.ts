import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { maskEmail, PARTNER_CHANGED, type PartnerChanged } from '@tandem/contracts';
import type { SavedEndpointLimits } from '@tandem/internal-api';
import { viewAs } from '@tandem/http-api';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerGatewayConfig } from '../config';
import { ALL_PARTNERS } from '@tandem/database';
import { ContactEmails } from './contact-email';
import { type ChangePartnerBody, type CreatePartnerBody, PartnerDto } from './partner.dto';
import type { Partner } from './partner.entity';
import { PartnerRepository } from './partner.repository';

/** The fields of a new account. `limits` are the endpoint limits as saved by postback-dispatcher. */
export type NewPartner = Omit<CreatePartnerBody, 'endpointLimits'> & { id?: string; limits?: SavedEndpointLimits };

/** The fields of an account that change. */
export type PartnerChange = Omit<ChangePartnerBody, 'endpointLimits'> & { limits?: SavedEndpointLimits };

/** The maximum number of partners that one transaction publishes. */
const PUBLISHED_AT_ONCE = 500;

/**
 * Creates and changes partner accounts in the caller's transaction, together with their audit rows and events. Also publishes all accounts
 * again, in transactions of its own.
 */
@Injectable()
export class PartnerAccounts {
  constructor(
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly contacts: ContactEmails,
    private readonly outbox: Outbox,
    private readonly config: PartnerGatewayConfig,
  ) {}

  async create(manager: EntityManager, wanted: NewPartner, act: Act): Promise<PartnerDto> {
    const { id = newPartnerId(), limits = NO_LIMITS, name, kind } = wanted;
    const now = new Date();
    const partner: Omit<Partner, 'seq'> = {
      id,
      name,
      kind,
      active: true,
      ...this.contacts.columnsOf(id, wanted.contactEmail ?? null),
      revokeWindowDays: wanted.revokeWindowDays ?? this.config.REVOKE_WINDOW_DAYS,
      endpointConcurrency: limits.concurrency,
      endpointLimitsRevision: limits.revision,
      createdAt: now,
      updatedAt: now,
    };
    await this.partners.insert(manager, partner);
    await this.outbox.add(manager, PARTNER_CHANGED, eventOf(partner));
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
    const after = { ...before, ...change };
    if (after.name !== before.name || after.active !== before.active) {
      await this.outbox.add(manager, PARTNER_CHANGED, eventOf(after));
    }
    const view = this.viewOf(after);
    const entry = { id, before: audited(this.viewOf(before)), after: audited(view) };
    await this.audit.record(manager, act, { action: 'partner.changed', ...entry });
    return view;
  }

  /**
   * Publishes the current state of every partner, for new consumers of `partner.changed`. Each batch is one transaction, which locks the
   * partners of the batch. A concurrent change of one of these partners waits, so the event of the change follows the events of the batch.
   *
   * @returns the number of partners
   */
  async publishAll(act: Act): Promise<number> {
    let published = 0;
    for (let after = '0'; ;) {
      const batch = await this.outbox.transaction(async (manager) => {
        const partners = await this.partners.lockAfter(manager, after, PUBLISHED_AT_ONCE);
        const events = partners.map((partner) => ({ data: eventOf(partner) }));
        await this.outbox.addMany(manager, PARTNER_CHANGED, events);
        // The request is recorded with the first batch, so that a publication that fails halfway is in the audit trail too.
        if (published === 0) {
          await this.audit.record(manager, act, { action: 'partner.publish_requested', id: ALL_PARTNERS, after: null });
        }
        if (partners.length < PUBLISHED_AT_ONCE) {
          const entry = { id: ALL_PARTNERS, after: { published: published + partners.length } };
          await this.audit.record(manager, act, { action: 'partner.published', ...entry });
        }
        return partners;
      });
      published += batch.length;
      const last = batch.at(-1);
      if (last === undefined || batch.length < PUBLISHED_AT_ONCE) return published;
      after = last.seq;
    }
  }

  viewOf(partner: Omit<Partner, 'seq'>): PartnerDto {
    const endpointLimits = { concurrency: partner.endpointConcurrency };
    return viewAs(PartnerDto, { ...partner, contactEmail: this.contacts.read(partner), endpointLimits });
  }
}

const eventOf = ({ id, name, kind, active, updatedAt }: Omit<Partner, 'seq'>): PartnerChanged => ({
  partnerId: id,
  name,
  kind,
  active,
  changedAt: updatedAt.toISOString(),
});

export const newPartnerId = (): string => `ptn_${randomUUID().replaceAll('-', '')}`;

/** The limits of a partner for which no limit was ever set. The platform's default applies to such a partner. */
const NO_LIMITS: SavedEndpointLimits = { concurrency: null, revision: 0 };

/**
 * Returns the columns that store postback-dispatcher's answer. Returns no columns when the answer to a later change has already been
 * stored.
 */
function newerLimits(
  { endpointLimitsRevision }: Partner,
  { concurrency, revision }: SavedEndpointLimits,
): Partial<Pick<Partner, 'endpointConcurrency' | 'endpointLimitsRevision'>> {
  if (revision < endpointLimitsRevision) return {};
  return { endpointConcurrency: concurrency, endpointLimitsRevision: revision };
}

/** Returns a partner as its audit rows contain it: with a masked e-mail address. */
const audited = (view: PartnerDto) => ({
  ...view,
  contactEmail: view.contactEmail === null ? null : maskEmail(view.contactEmail),
});
