import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import {
  type Caller,
  type ChangeVoucherGroup,
  type CreateVoucherGroup,
  type ListManagedVoucherGroups,
  type ManagedVoucherGroupList,
  type ManagedVoucherGroupView,
  type VoucherGroupChange,
  type VoucherGroupList,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { MUST_BE, timeOf, ValidationFailedError } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import { VoucherGroupRepository } from './voucher-group.repository';
import { isGroupId } from './voucher-group.rules';
import { groupView, listedGroupView, managedGroupView } from './voucher-group.view';

@Injectable()
export class VoucherGroupService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly groups: VoucherGroupRepository,
  ) {}

  /** Lists the groups of a partner, in the caller's environment, that are active and have not expired. */
  async listActiveGroups(caller: Caller): Promise<VoucherGroupList> {
    return { items: (await this.groups.findActive(caller, new Date())).map(groupView) };
  }

  /** Returns one page of a partner's groups, for partner managers: every status, both environments, newest first. */
  async listManagedGroups(partnerId: string, query: ListManagedVoucherGroups): Promise<ManagedVoucherGroupList> {
    return { items: (await this.groups.findPage(partnerId, query.before, query.limit)).map(listedGroupView) };
  }

  /**
   * Creates a group. If the partner already has a group with this id, the stored group is returned unchanged.
   * @throws ValidationFailedError when the group would not end after its start, or when another partner has a group with this id
   */
  async createGroup(partnerId: string, wanted: CreateVoucherGroup): Promise<ManagedVoucherGroupView> {
    const validFrom = timeOf(wanted.validFrom);
    const validUntil = wanted.validUntil === null ? null : timeOf(wanted.validUntil);
    if (validUntil !== null && validUntil <= validFrom) {
      throw new ValidationFailedError([{ field: 'validUntil', message: 'validUntil must be after validFrom' }]);
    }
    const fresh = {
      id: wanted.id,
      partnerId,
      environment: wanted.environment,
      name: wanted.name,
      status: wanted.status,
      productName: wanted.product.name,
      productTier: wanted.product.tier,
      productPeriodMonths: wanted.product.periodMonths,
      currency: wanted.currency,
      stock: wanted.stock,
      validFrom,
      validUntil,
    };
    // The transaction is explicit, because only an explicit transaction is rolled back if the caller has stopped waiting.
    const group = await this.manager.transaction((manager) => this.groups.insertOrGet(manager, fresh));
    // Ids are random, so only a mistake of the caller can use one id for two partners.
    if (group.partnerId !== partnerId) {
      throw new ValidationFailedError([{ field: 'id', message: 'id is taken' }]);
    }
    return managedGroupView(group);
  }

  /** Changes the given fields. The change locks the group, so coupons of the group are created either before or after it, never during it. */
  async changeGroup(groupId: string, change: ChangeVoucherGroup): Promise<VoucherGroupChange> {
    if (!isGroupId(groupId)) throw new VoucherGroupNotFoundError();
    return this.manager.transaction(async (manager) => {
      const group = await this.groups.findForUpdate(manager, groupId);
      if (!group) throw new VoucherGroupNotFoundError();
      const { status = group.status, stock = group.stock } = change;
      if (stock !== null && stock < group.issued) {
        throw new ValidationFailedError([{ field: 'stock', message: `stock ${MUST_BE.atLeast(group.issued)}` }]);
      }
      await this.groups.update(manager, groupId, { status, stock });
      return { before: managedGroupView(group), after: managedGroupView({ ...group, status, stock }) };
    });
  }
}
