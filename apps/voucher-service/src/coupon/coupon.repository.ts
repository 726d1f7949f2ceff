import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared } from '@tandem/database';
import { DataSource, EntityManager } from 'typeorm';
import type { Caller } from '../internal/caller.decorator';
import type { StatusFilter, StoredStatus } from './coupon.rules';

/** A coupon of a page. */
export interface CouponRow {
  seq: string;
  id: string;
  code: string;
  status: StoredStatus;
  batchId: string;
  createdAt: Date;
  redeemedAt: Date | null;
}

/** A page, and what its group says about all of its coupons. */
export interface CouponRows {
  rows: CouponRow[];
  expiresAt: Date | null;
  /** Whether the group is over. */
  ended: boolean;
}

export interface PageOf {
  caller: Caller;
  groupId: string;
  /** Only coupons below this; null: from the newest on. */
  before: string | null;
  limit: number;
}

export interface NewCoupons {
  groupId: string;
  batchId: string;
  createdAt: Date;
  /** Newest first. */
  ids: readonly string[];
  codes: readonly string[];
}

export interface RedeemedCoupon {
  id: string;
  groupId: string;
  batchId: string;
}

/** What became of a coupon that could not be redeemed. */
export interface CouponState {
  status: StoredStatus;
  subscriptionId: string | null;
}

/** Above every coupon. */
const FROM_THE_NEWEST = '9223372036854775807';

@Injectable()
export class CouponRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** One page, newest first. @returns null when the group is not there for the caller, or is inactive */
  async findPage({ caller, groupId, before, limit }: PageOf, filter: StatusFilter | null): Promise<CouponRows | null> {
    const values = [groupId, caller.partnerId, caller.environment, before ?? FROM_THE_NEWEST, limit];
    const rows = filter
      ? await this.query('coupon-page-of-status', PAGE_OF_STATUS, [...values, filter.stored, filter.ended])
      : await this.query('coupon-page', PAGE, values);
    const [first] = rows;
    if (!first) return null;
    const { expiresAt, ended } = first;
    // The group alone, when it has no coupon for this page.
    return { rows: first.seq === null ? [] : (rows as CouponRow[]), expiresAt, ended };
  }

  /**
   * Adds coupons by one statement; the group's row must be locked. The first of the list becomes the newest.
   *
   * @throws the driver's unique violation of `coupon_code_key` when a code is taken
   */
  async insert(manager: EntityManager, coupons: NewCoupons): Promise<{ firstSeq: string; lastSeq: string }> {
    const [range] = await manager.query<{ firstSeq: string; lastSeq: string }[]>(
      `with inserted as (
         insert into coupon (group_id, batch_id, created_at, id, code)
         select $1, $2, $3, n.id, n.code
           from unnest($4::uuid[], $5::text[]) with ordinality as n (id, code, place)
          order by n.place desc
         returning seq)
       select min(seq) as "firstSeq", max(seq) as "lastSeq" from inserted`,
      [coupons.groupId, coupons.batchId, coupons.createdAt, coupons.ids, coupons.codes],
    );
    return range as { firstSeq: string; lastSeq: string };
  }

  /** The ids and codes of a batch, newest first. */
  async findOfBatch(
    manager: EntityManager,
    batch: { groupId: string; firstSeq: string; lastSeq: string },
  ): Promise<{ id: string; code: string }[]> {
    return manager.query(
      `select id, code from coupon where group_id = $1 and seq between $2 and $3 order by seq desc`,
      [batch.groupId, batch.firstSeq, batch.lastSeq],
    );
  }

  /** Redeems a coupon that is active, and was not expired at that time. @returns null when there is no such coupon */
  async redeem(
    manager: EntityManager,
    redemption: { code: string; at: Date; subscriptionId: string },
  ): Promise<RedeemedCoupon | null> {
    const [rows] = await manager.query<[RedeemedCoupon[], number]>(
      `update coupon c
          set status = 'redeemed', redeemed_at = $2, subscription_id = $3
         from voucher_group g
        where c.code = $1 and c.status = 'active'
          and g.id = c.group_id and (g.valid_until is null or g.valid_until > $2)
        returning c.id, c.group_id as "groupId", c.batch_id as "batchId"`,
      [redemption.code, redemption.at, redemption.subscriptionId],
    );
    return rows[0] ?? null;
  }

  async findState(manager: EntityManager, code: string): Promise<CouponState | null> {
    const [row] = await manager.query<CouponState[]>(
      `select status, subscription_id as "subscriptionId" from coupon where code = $1`,
      [code],
    );
    return row ?? null;
  }

  private query(name: string, text: string, values: unknown[]): Promise<PageRow[]> {
    return queryPrepared<PageRow>(this.dataSource, name, text, values);
  }
}

/** A row without a coupon tells of a group that has none for the page. */
type PageRow = { expiresAt: Date | null; ended: boolean } & (CouponRow | { seq: null });

/** Reads as many entries of one index as the page has, wherever the page is and however many coupons there are. */
const pageBy = (condition: string): string => `
  select c.seq, c.id, c.code, c.status, c.batch_id as "batchId", c.created_at as "createdAt", c.redeemed_at as "redeemedAt",
         g.valid_until as "expiresAt", coalesce(g.valid_until <= now(), false) as ended
    from voucher_group g
    left join lateral (
      select * from coupon
       where group_id = g.id and seq < $4 ${condition}
       order by seq desc limit $5) c on true
   where g.id = $1 and g.partner_id = $2 and g.environment = $3 and g.status = 'active'
   order by c.seq desc`;

/** A page of every status. The benchmark asks the same. */
export const PAGE = pageBy('');
const PAGE_OF_STATUS = pageBy(
  'and status = $6 and ($7::boolean is null or $7 = coalesce(g.valid_until <= now(), false))',
);
