import { ApiSchema } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '@tandem/contracts';
import { EnumField, IdField, IntegerField, ListField, ObjectField, TextField, TimeField } from '@tandem/http-api';

/*
 * Internal HTTP between partner-gateway (caller) and voucher-service (owner of voucher groups and coupons). The edge never serves
 * these paths; calls carry a service token (audience `voucher-service`). Errors are problem+json with the codes of the
 * partner API. Partners get the answers to their own requests unchanged: these are also the answers of the partner API.
 */

/** `GET`: the groups of a partner that are active and have not expired. */
export const voucherGroupsPath = (partnerId: string, environment: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/${environment}/voucher-groups`;

/** For partner managers. `GET` with {@link ListManagedVoucherGroups}; `POST` with {@link CreateVoucherGroup}: 201. */
export const managedVoucherGroupsPath = (partnerId: string): string =>
  `/internal/partners/${encodeURIComponent(partnerId)}/voucher-groups`;

/** For partner managers. `PATCH` with {@link ChangeVoucherGroup}: {@link VoucherGroupChange}. */
export const managedVoucherGroupPath = (groupId: string): string =>
  `/internal/voucher-groups/${encodeURIComponent(groupId)}`;

export const VOUCHER_GROUP_STATUSES = ['active', 'inactive'] as const;
export type VoucherGroupStatus = (typeof VOUCHER_GROUP_STATUSES)[number];

const CURRENCY = /^[A-Z]{3}$/;
const MAX_STOCK = 2_000_000_000;

/** What a coupon grants. */
export class VoucherProduct {
  @TextField({ min: 1, max: 200, storable: true, example: 'Advanced, 1 year' })
  name!: string;

  @TextField({ max: 200, storable: true, example: 'advanced', description: 'Empty when there is none' })
  tier!: string;

  @IntegerField({ min: 1, max: 1200, example: 12 })
  periodMonths!: number;
}

/** What a partner sees of a voucher group. */
@ApiSchema({ name: 'VoucherGroup' })
export class VoucherGroupView {
  @IdField({ description: 'Pass it as `voucherGroupId` in other requests' })
  id!: string;

  @TextField({ min: 1, example: 'Spring campaign' })
  name!: string;

  @EnumField(VOUCHER_GROUP_STATUSES)
  status!: VoucherGroupStatus;

  @ObjectField(() => VoucherProduct)
  product!: VoucherProduct;

  @TextField({ pattern: CURRENCY, example: 'USD', description: 'ISO 4217' })
  currency!: string;

  @IntegerField({ min: 0, example: 120, description: 'Number of coupons created' })
  issued!: number;

  @IntegerField({ min: 0, example: 40 })
  redeemed!: number;

  @IntegerField({
    min: 0,
    nullable: true,
    example: 880,
    description: 'Number of coupons that can still be created. Null: unlimited',
  })
  remaining!: number | null;

  @TimeField()
  validFrom!: string;

  @TimeField({ nullable: true, description: 'The time when the active coupons of the group expire' })
  validUntil!: string | null;

  @TimeField()
  createdAt!: string;
}

/** The answer to a partner's request for its groups. */
export class VoucherGroupList {
  @ListField(() => VoucherGroupView)
  items!: VoucherGroupView[];
}

/** What a partner manager sees of a voucher group. */
@ApiSchema({ name: 'ManagedVoucherGroup' })
export class ManagedVoucherGroupView extends VoucherGroupView {
  @TextField({ min: 1, example: 'ptn_7c9e6679742540de944be07fc1f90ae7' })
  partnerId!: string;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @IntegerField({
    min: 0,
    nullable: true,
    example: 1000,
    description: 'Number of coupons that can be created in all. Null: unlimited',
  })
  stock!: number | null;
}

/** One group of a manager's list, with its position in the list. */
export class ListedVoucherGroup extends ManagedVoucherGroupView {
  /** Pass the last item's `seq` as `before` to get the next page. */
  @TextField({ pattern: /^\d{1,19}$/ })
  seq!: string;
}

/** A page of a partner's groups for a manager, newest first. */
export class ManagedVoucherGroupList {
  @ListField(() => ListedVoucherGroup)
  items!: ListedVoucherGroup[];
}

/** The query that selects a page of a manager's list of voucher groups. */
export class ListManagedVoucherGroups {
  @TextField({ optional: true, pattern: /^\d{1,19}$/ })
  before?: string;

  @IntegerField({ min: 1, max: 1000, optional: true, fromText: true, default: 50 })
  limit = 50;
}

/** A new group. The caller chooses its id, so that a repeated request with the same id changes nothing. */
export class CreateVoucherGroup {
  @IdField()
  id!: string;

  @EnumField(ENVIRONMENTS)
  environment!: Environment;

  @TextField({ min: 1, max: 200, storable: true })
  name!: string;

  @EnumField(VOUCHER_GROUP_STATUSES)
  status!: VoucherGroupStatus;

  @ObjectField(() => VoucherProduct)
  product!: VoucherProduct;

  @TextField({ pattern: CURRENCY })
  currency!: string;

  @IntegerField({ min: 0, max: MAX_STOCK, nullable: true })
  stock!: number | null;

  @TimeField()
  validFrom!: string;

  @TimeField({ nullable: true })
  validUntil!: string | null;
}

/** The parts of a group that can be changed. The times of a group cannot be changed: an expired group stays expired. */
@ApiSchema({ name: 'ChangeVoucherGroupBody' })
export class ChangeVoucherGroup {
  @EnumField(VOUCHER_GROUP_STATUSES, { optional: true })
  status?: VoucherGroupStatus;

  @IntegerField({
    min: 0,
    max: MAX_STOCK,
    optional: true,
    nullable: true,
    description: 'The number of coupons in all, at least `issued`. Null: unlimited',
  })
  stock?: number | null;
}

/** The answer to {@link ChangeVoucherGroup}: the group before and after the change. */
export class VoucherGroupChange {
  @ObjectField(() => ManagedVoucherGroupView)
  before!: ManagedVoucherGroupView;

  @ObjectField(() => ManagedVoucherGroupView)
  after!: ManagedVoucherGroupView;
}
