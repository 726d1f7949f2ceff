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
import { type Page, timeOf, ValidationFailedError, viewsOf } from '@tandem/service-defaults';
import { isUUID } from 'class-validator';
import { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { AuditService } from '../audit/audit.service';
import { Pages, type WantedPage } from '../paging/pages';
import { IntegrationKindMismatchError, PartnerNotFoundError } from '../partner/partner.errors';
import { PartnerRepository } from '../partner/partner.repository';
import type { CreateVoucherGroupBody } from './voucher-group.dto';
import { VoucherClient } from './voucher.client';

/** What an audit row says of an act. */
interface NotedAct {
  action: 'requested' | 'created' | 'change_requested' | 'changed';
  id: string;
  before?: object | null;
  after: object;
}

/** What managers do with voucher groups: kept by voucher-service, audited here. */
@Injectable()
export class VoucherGroupService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly vouchers: VoucherClient,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly pages: Pages,
  ) {}

  async listGroups(partnerId: string, wanted: WantedPage, requestId: string): Promise<Page<ManagedVoucherGroupView>> {
    if (!(await this.partners.find(partnerId))) throw new PartnerNotFoundError();
    const path = managedVoucherGroupsPath(partnerId);
    const page = await this.pages.read(['voucher-groups', partnerId], wanted, async (before, limit) => {
      const query = { before, limit: String(limit) };
      const call = { method: 'GET', path, query, requestId } as const;
      return (await this.vouchers.json<ManagedVoucherGroupList>(200, call)).items;
    });
    return viewsOf(page, ({ seq: _, ...group }) => group);
  }

  /**
   * Creates a group. Two databases cannot be changed in one transaction: so the act is noted down before, with the group's id,
   * and once more when it is done. There is no group without an audit row, whatever happens in between.
   */
  async createGroup(partnerId: string, body: CreateVoucherGroupBody, act: Act): Promise<ManagedVoucherGroupView> {
    const wanted = newGroup(body, new Date());
    await this.manager.transaction(async (manager) => {
      const partner = await this.partners.findForUpdate(manager, partnerId);
      if (!partner) throw new PartnerNotFoundError();
      if (partner.kind !== 'voucher') throw new IntegrationKindMismatchError('voucher');
      await this.record(manager, act, { action: 'requested', id: wanted.id, after: { ...wanted, partnerId } });
    });
    const path = managedVoucherGroupsPath(partnerId);
    const call = { method: 'POST', path, body: wanted, requestId: act.requestId } as const;
    const group = await this.vouchers.json<ManagedVoucherGroupView>(201, call);
    await this.record(this.manager, act, { action: 'created', id: group.id, after: group });
    return group;
  }

  /** Changes status or stock, noted down before and after as a creation is. */
  async changeGroup(id: string, { status, stock }: ChangeVoucherGroup, act: Act): Promise<ManagedVoucherGroupView> {
    if (!isUUID(id)) throw new VoucherGroupNotFoundError();
    const change = { status, stock };
    await this.record(this.manager, act, { action: 'change_requested', id, after: change });
    const path = managedVoucherGroupPath(id);
    const call = { method: 'PATCH', path, body: change, requestId: act.requestId } as const;
    const { before, after } = await this.vouchers.json<VoucherGroupChange>(200, call);
    await this.record(this.manager, act, { action: 'changed', id, before, after });
    return after;
  }

  private async record(
    manager: EntityManager,
    act: Act,
    { action, id, before = null, after }: NotedAct,
  ): Promise<void> {
    const noted = { action: `voucher_group.${action}`, entity: 'voucher_group', entityId: id, before, after } as const;
    await this.audit.record(manager, act, noted);
  }
}

/** @throws ValidationFailedError when it would end before it begins */
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
