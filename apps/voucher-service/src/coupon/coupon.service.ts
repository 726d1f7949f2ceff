import { Injectable } from '@nestjs/common';
import { type Caller, type CouponPage, type ListCoupons, VoucherGroupNotFoundError } from '@tandem/internal-api';
import { ValidationFailedError } from '@tandem/service-defaults';
import { VoucherServiceConfig } from '../config';
import { isGroupId } from '../voucher-group/voucher-group.rules';
import { CouponCursors } from './coupon-cursor';
import { CouponRepository } from './coupon.repository';
import { filterOf, statusOf } from './coupon.rules';
import { couponView } from './coupon.view';

@Injectable()
export class CouponService {
  constructor(
    private readonly coupons: CouponRepository,
    private readonly cursors: CouponCursors,
    private readonly config: VoucherServiceConfig,
  ) {}

  /** One page of a group's coupons, newest first. */
  async listCoupons(caller: Caller, query: ListCoupons): Promise<CouponPage> {
    const { voucherGroupId: groupId, cursor, status = null } = query;
    const limit = this.limitOf(query.limit);
    if (!isGroupId(groupId)) throw new VoucherGroupNotFoundError();
    const list = { ...caller, groupId, status };
    const before = cursor === undefined ? null : this.cursors.decode(list, cursor);
    // One more than is shown tells whether another page exists.
    const page = { caller, groupId, before, limit: limit + 1 };
    const found = await this.coupons.findPage(page, status === null ? null : filterOf(status));
    if (!found) throw new VoucherGroupNotFoundError();
    const { rows, expiresAt, ended } = found;
    const group = { groupId, expiresAt: expiresAt?.toISOString() ?? null };
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const hasMore = rows.length > limit;
    return {
      items: shown.map((row) => couponView(row, group, statusOf(row.status, ended))),
      nextCursor: hasMore && last ? this.cursors.encode(list, last.seq) : null,
      hasMore,
    };
  }

  private limitOf(limit: number | undefined): number {
    const max = this.config.VOUCHER_PAGE_MAX_LIMIT;
    if (limit !== undefined && limit > max) {
      throw new ValidationFailedError([{ field: 'limit', message: `limit must not be greater than ${max}` }]);
    }
    return limit ?? this.config.VOUCHER_PAGE_DEFAULT_LIMIT;
  }
}
