import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  type ChangeVoucherGroup,
  type CreateVoucherGroup,
  type ManagedVoucherGroupList,
  managedVoucherGroupPath,
  managedVoucherGroupsPath,
  type ManagedVoucherGroupView,
  type VoucherGroupChange,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { type Page, timeOf, ValidationFailedError, viewsOf } from '@tandem/http-api';
import { isUUID } from 'class-validator';
import { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { PartnerRepository } from '../partner/partner.repository';
import type { CreateVoucherGroupBody } from './voucher-group.dto';
import { VoucherClient } from './voucher.client';

/**
 * Lets managers see and change voucher groups. voucher-service stores the groups; this app keeps the audit trail of the managers' actions.
 */
@Injectable()
export class VoucherGroupService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly vouchers: VoucherClient,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly pages: Pages,
  ) {}

  async listGroups(partnerId: string, query: PageQuery, requestId: string): Promise<Page<ManagedVoucherGroupView>> {
    await this.partners.get(partnerId);
    const path = managedVoucherGroupsPath(partnerId);
    const page = await this.pages.read(['voucher-groups', partnerId], query, async (before, limit) => {
      const call = { method: 'GET', path, query: { before, limit }, requestId } as const;
      return (await this.vouchers.json<ManagedVoucherGroupList>(200, call)).items;
    });
    return viewsOf(page, ({ seq: _, ...group }) => group);
  }

  /**
   * Creates a group. One transaction cannot span both apps' databases, so one audit row with the group's id is written before the creation,
   * and another one after it. The audit trail therefore contains every group, even if the creation is interrupted.
   */
  async createGroup(partnerId: string, body: CreateVoucherGroupBody, act: Act): Promise<ManagedVoucherGroupView> {
    const wanted = newGroup(body, new Date());
    await this.manager.transaction(async (manager) => {
      const { kind } = await this.partners.getForUpdate(manager, partnerId);
      if (kind !== 'voucher') throw new IntegrationKindMismatchError('voucher');
      const after = { ...wanted, partnerId };
      await this.audit.record(manager, act, { action: 'voucher_group.requested', id: wanted.id, after });
    });
    const path = managedVoucherGroupsPath(partnerId);
    const call = { method: 'POST', path, body: wanted, requestId: act.requestId } as const;
    const group = await this.vouchers.json<ManagedVoucherGroupView>(201, call);
    await this.audit.recordDone(this.manager, act, { action: 'voucher_group.created', id: group.id, after: group });
    return group;
  }

  /** Changes the status or the stock of a group. As for a creation, one audit row is written before the change and another one after it. */
  async changeGroup(id: string, { status, stock }: ChangeVoucherGroup, act: Act): Promise<ManagedVoucherGroupView> {
    if (!isUUID(id)) throw new VoucherGroupNotFoundError();
    const change = { status, stock };
    await this.audit.record(this.manager, act, { action: 'voucher_group.change_requested', id, after: change });
    const path = managedVoucherGroupPath(id);
    const call = { method: 'PATCH', path, body: change, requestId: act.requestId } as const;
    const { before, after } = await this.vouchers.json<VoucherGroupChange>(200, call);
    await this.audit.recordDone(this.manager, act, { action: 'voucher_group.changed', id, before, after });
    return after;
  }
}

/** Returns the group to create, with all defaults. @throws ValidationFailedError when the group would not end after its start */
function newGroup(body: CreateVoucherGroupBody, now: Date): CreateVoucherGroup {
  const validFrom = body.validFrom === undefined ? now : timeOf(body.validFrom);
  const validUntil = body.validUntil ? timeOf(body.validUntil) : null;
  if (validUntil !== null && validUntil <= validFrom) {
    throw new ValidationFailedError([{ field: 'validUntil', message: 'validUntil must be after validFrom' }]);
  }
  return {
    id: randomUUID(),
    environment: body.environment ?? 'live',
    name: body.name,
    status: body.status ?? 'active',
    product: { name: body.product.name, tier: body.product.tier ?? '', periodMonths: body.product.periodMonths },
    currency: body.currency,
    stock: body.stock ?? null,
    validFrom: validFrom.toISOString(),
    validUntil: validUntil?.toISOString() ?? null,
  };
}
