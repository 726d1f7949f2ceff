import { Injectable } from '@nestjs/common';
import { type Caller, type CouponPage, type ListCoupons, VoucherGroupNotFoundError } from '@tandem/internal-api';
import { pageLimit, toPage } from '@tandem/http-api';
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

  /** Returns one page of a group's coupons, newest first. */
  async listCoupons(caller: Caller, query: ListCoupons): Promise<CouponPage> {
    const { voucherGroupId: groupId, cursor, status = null } = query;
    const { VOUCHER_PAGE_DEFAULT_LIMIT, VOUCHER_PAGE_MAX_LIMIT } = this.config;
    const limit = pageLimit(query.limit, { default: VOUCHER_PAGE_DEFAULT_LIMIT, max: VOUCHER_PAGE_MAX_LIMIT });
    const list = { ...caller, groupId, status };
    const before = cursor === undefined ? null : this.cursors.decode(list, cursor);
    if (!isGroupId(groupId)) throw new VoucherGroupNotFoundError();
    const page = { caller, groupId, before, limit: limit + 1 };
    const found = await this.coupons.findPage(page, status === null ? null : filterOf(status));
    if (!found) throw new VoucherGroupNotFoundError();
    const { rows, expiresAt, ended } = found;
    const group = { groupId, expiresAt: expiresAt?.toISOString() ?? null };
    return toPage(
      rows,
      limit,
      (row) => couponView(row, group, statusOf(row.status, ended)),
      ({ seq }) => this.cursors.encode(list, seq),
    );
  }
}
