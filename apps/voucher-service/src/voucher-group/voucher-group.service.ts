import { Injectable } from '@nestjs/common';
import type {
  CreateVoucherGroup,
  ListManagedVoucherGroups,
  ManagedVoucherGroupList,
  ManagedVoucherGroupView,
  VoucherGroupList,
} from '@tandem/contracts';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { Caller } from '../internal/caller.decorator';
import { VoucherGroupRepository } from './voucher-group.repository';
import { groupView, listedGroupView, managedGroupView } from './voucher-group.view';

@Injectable()
export class VoucherGroupService {
  constructor(private readonly groups: VoucherGroupRepository) {}

  /** The groups that a partner can make coupons of. */
  async listActiveGroups(caller: Caller): Promise<VoucherGroupList> {
    return { items: (await this.groups.findActive(caller, new Date())).map(groupView) };
  }

  /** All groups of a partner, for its manager. */
  async listManagedGroups(partnerId: string, query: ListManagedVoucherGroups): Promise<ManagedVoucherGroupList> {
    return { items: (await this.groups.findPage(partnerId, query.before, query.limit)).map(listedGroupView) };
  }

  /** Creates a group. A repeat with the same id answers with the group that there is. */
  async createGroup(partnerId: string, wanted: CreateVoucherGroup): Promise<ManagedVoucherGroupView> {
    const validFrom = new Date(wanted.validFrom);
    const validUntil = wanted.validUntil === null ? null : new Date(wanted.validUntil);
    if (validUntil !== null && validUntil <= validFrom) {
      throw new ValidationFailedError([{ field: 'validUntil', message: 'validUntil must be after validFrom' }]);
    }
    const group = await this.groups.insertOrGet({
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
    });
    // An id is a random one: only a mistake of the caller makes two partners meet in one.
    if (group.partnerId !== partnerId) {
      throw new ValidationFailedError([{ field: 'id', message: 'id is taken' }]);
    }
    return managedGroupView(group);
  }
}
