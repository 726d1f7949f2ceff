import type { ListedVoucherGroup, ManagedVoucherGroupView, VoucherGroupView } from '@tandem/internal-api';
import type { VoucherGroup } from './voucher-group.entity';

/** Returns a group as a partner sees it. */
export const groupView = (group: VoucherGroup): VoucherGroupView => ({
  id: group.id,
  name: group.name,
  status: group.status,
  product: { name: group.productName, tier: group.productTier, periodMonths: group.productPeriodMonths },
  currency: group.currency,
  issued: group.issued,
  redeemed: group.redeemed,
  remaining: group.stock === null ? null : group.stock - group.issued,
  validFrom: group.validFrom.toISOString(),
  validUntil: group.validUntil?.toISOString() ?? null,
  createdAt: group.createdAt.toISOString(),
});

/** Returns a group as a partner manager sees it. */
export const managedGroupView = (group: VoucherGroup): ManagedVoucherGroupView => ({
  ...groupView(group),
  partnerId: group.partnerId,
  environment: group.environment,
  stock: group.stock,
});

export const listedGroupView = (group: VoucherGroup): ListedVoucherGroup => ({
  ...managedGroupView(group),
  seq: group.seq,
});
