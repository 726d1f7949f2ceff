import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { DataSource, EntityManager } from 'typeorm';
import type { Caller } from '@tandem/internal-api';
import { countCreated } from '../statistics/coupon-statistic.statements';
import type { StatusFilter, StoredStatus } from './coupon.rules';

/** A coupon on a page. */
export interface CouponRow {
  seq: string;
  id: string;
  code: string;
  status: StoredStatus;
  batchId: string;
  createdAt: Date;
  redeemedAt: Date | null;
}

/** A page of coupons, with the fields of the group that apply to all its coupons. */
export interface CouponRows {
  rows: CouponRow[];
  expiresAt: Date | null;
  /** Whether the group's `valid_until` has passed. */
  ended: boolean;
}

export interface PageOf {
  caller: Caller;
  groupId: string;
  /** The page has only coupons with a lower `seq`; null starts at the newest coupon. */
  before: string | null;
  limit: number;
}

export interface NewCoupons {
  caller: Caller;
  groupId: string;
  batchId: string;
  createdAt: Date;
  /** The ids of the coupons, newest first; `codes` and `hashes` have the same order. */
  ids: readonly string[];
  codes: readonly string[];
  /** Hashes of the codes: see {@link codeHash}. */
  hashes: readonly Buffer[];
}

/** One attempt to redeem a coupon: the hash of its code, the time of the purchase or of the reported redemption, and the subscription. */
export interface RedemptionOf {
  hash: Buffer;
  at: Date;
  subscriptionId: string;
}

/** A coupon that was redeemed. */
export interface RedeemedCoupon {
  /** The index, in the list of attempts, of the attempt that redeemed the coupon. */
  place: number;
  id: string;
  code: string;
  groupId: string;
  batchId: string;
}

/** The state of a coupon. */
export interface CouponState {
  hash: Buffer;
  codeLast4: string;
  status: StoredStatus;
  subscriptionId: string | null;
}

/** The `before` of the first page: higher than the `seq` of any coupon. */
const FROM_THE_NEWEST = '9223372036854775807';

@Injectable()
export class CouponRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Reads one page, newest first. @returns null when the group does not exist for the caller, or is inactive */
  async findPage({ caller, groupId, before, limit }: PageOf, filter: StatusFilter | null): Promise<CouponRows | null> {
    const values = [groupId, caller.partnerId, caller.environment, before ?? FROM_THE_NEWEST, limit];
    const rows = filter
      ? await this.query('coupon-page-of-status', PAGE_OF_STATUS, [...values, filter.stored, filter.ended])
      : await this.query('coupon-page', PAGE, values);
    const [first] = rows;
    if (!first) return null;
    const { expiresAt, ended } = first;
    // If the group has no coupon for this page, the query returns one row, whose `seq` is null.
    return { rows: first.seq === null ? [] : (rows as CouponRow[]), expiresAt, ended };
  }

  /**
   * Inserts coupons and counts them in the statistics, in one statement. The caller must have locked the group's row.
   * @returns the lowest and highest `seq` of the coupons
   *
   * @throws a unique violation of `coupon_code_key` when a code is already in use
   */
  async insert(manager: EntityManager, coupons: NewCoupons): Promise<{ firstSeq: string; lastSeq: string }> {
    const { caller, groupId, batchId, createdAt, ids, codes, hashes } = coupons;
    const values = [groupId, batchId, createdAt, ids, codes, hashes, caller.partnerId, caller.environment];
    const [range] = await manager.query<{ firstSeq: string; lastSeq: string }[]>(INSERT, values);
    return range as { firstSeq: string; lastSeq: string };
  }

  /** Reads the ids and codes of the coupons of a batch, newest first. */
  async findOfBatch(
    manager: EntityManager,
    batch: { groupId: string; firstSeq: string; lastSeq: string },
  ): Promise<{ id: string; code: string }[]> {
    return manager.query(
      `select id, code from coupon where group_id = $1 and seq between $2 and $3 order by seq desc`,
      [batch.groupId, batch.firstSeq, batch.lastSeq],
    );
  }

  /**
   * Redeems coupons in one statement. An attempt is valid if its coupon is active and had not expired at the attempt's time (`at`). If
   * several attempts are for the same coupon, the first valid attempt redeems the coupon. Rows are locked in the order of their hashes, so
   * concurrent calls cannot deadlock.
   */
  async redeem(manager: EntityManager, tries: readonly RedemptionOf[]): Promise<RedeemedCoupon[]> {
    return queryPrepared(runnerOf(manager), 'coupons-redeem', REDEEM, [
      tries.map(({ hash }) => hash),
      tries.map(({ at }) => at.toISOString()),
      tries.map(({ subscriptionId }) => subscriptionId),
    ]);
  }

  /** Reads the states of the coupons with these hashes. Leaves out unknown hashes. */
  async findStates(manager: EntityManager, hashes: readonly Buffer[]): Promise<CouponState[]> {
    return manager.query(
      `select code_hash as hash, right(code, 4) as "codeLast4", status, subscription_id as "subscriptionId"
         from coupon where code_hash = any ($1::bytea[])`,
      [hashes],
    );
  }

  /** Reads and locks coupons that have no hash yet. */
  async lockWithoutHash(
    manager: EntityManager,
    limit: number,
  ): Promise<{ groupId: string; seq: string; code: string }[]> {
    return manager.query(
      `select group_id as "groupId", seq, code from coupon
        where code_hash is null order by group_id, seq limit $1 for update`,
      [limit],
    );
  }

  /** Sets the hashes of coupons that `lockWithoutHash` has locked. */
  async setHashes(
    manager: EntityManager,
    rows: readonly { groupId: string; seq: string; hash: Buffer }[],
  ): Promise<void> {
    await manager.query(
      `update coupon c set code_hash = n.hash
         from unnest($1::uuid[], $2::bigint[], $3::bytea[]) as n (group_id, seq, hash)
        where c.group_id = n.group_id and c.seq = n.seq`,
      [rows.map(({ groupId }) => groupId), rows.map(({ seq }) => seq), rows.map(({ hash }) => hash)],
    );
  }

  private query(name: string, text: string, values: unknown[]): Promise<PageRow[]> {
    return queryPrepared<PageRow>(this.dataSource, name, text, values);
  }
}

/** A row of a page. If the group has no coupon for the page, there is one row without a coupon, whose `seq` is null. */
type PageRow = { expiresAt: Date | null; ended: boolean } & (CouponRow | { seq: null });

/**
 * Returns the query of a page. The query reads about as many index entries as the page has coupons, whatever the position of the page and
 * the number of coupons in the group.
 */
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

/** The query of a page without a status filter. The benchmark runs the same query. */
export const PAGE = pageBy('');
const PAGE_OF_STATUS = pageBy(
  'and status = $6 and ($7::boolean is null or $7 = coalesce(g.valid_until <= now(), false))',
);

const INSERT = `
  with inserted as (
    insert into coupon (group_id, batch_id, created_at, id, code, code_hash)
    select $1, $2, $3, n.id, n.code, n.hash
      from unnest($4::uuid[], $5::text[], $6::bytea[]) with ordinality as n (id, code, hash, place)
     order by n.place desc
    returning seq),
  counted as (${countCreated({ partnerId: '$7::text', environment: '$8::text', at: '$3::timestamptz', count: 'cardinality($4)' })})
  select min(seq) as "firstSeq", max(seq) as "lastSeq" from inserted`;

const REDEEM = `
  with wanted as (
    select * from unnest($1::bytea[], $2::timestamptz[], $3::text[]) with ordinality as w (hash, at, subscription_id, place)
  ), locked as materialized (
    select c.group_id, c.seq, c.code_hash, g.valid_until
      from coupon c
      join voucher_group g on g.id = c.group_id
     where c.code_hash = any ($1::bytea[]) and c.status = 'active'
     order by c.code_hash
       for update of c
  ), winner as (
    select distinct on (l.code_hash) l.group_id, l.seq, w.at, w.subscription_id, w.place
      from locked l
      join wanted w on w.hash = l.code_hash and (l.valid_until is null or l.valid_until > w.at)
     order by l.code_hash, w.place
  )
  update coupon c
     set status = 'redeemed', redeemed_at = winner.at, subscription_id = winner.subscription_id
    from winner
   where c.group_id = winner.group_id and c.seq = winner.seq
   returning winner.place::integer - 1 as place, c.id, c.code, c.group_id as "groupId", c.batch_id as "batchId"`;
