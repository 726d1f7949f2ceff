import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Environment } from '@tandem/contracts';
import { queryPrepared, runnerOf } from '@tandem/database';
import { EntityManager, IsNull, LessThan, MoreThan } from 'typeorm';
import type { Caller } from '@tandem/internal-api';
import { VoucherGroup } from './voucher-group.entity';

/** When coupons were deducted from a group's stock, and when the group's period of validity ends (null: never). */
export interface TakenStock {
  /** The time of the transaction, in whole milliseconds. */
  at: Date;
  validUntil: Date | null;
}

/** The partner and the environment to which a group and its coupons belong. */
export interface GroupOwner {
  partnerId: string;
  environment: Environment;
}

@Injectable()
export class VoucherGroupRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /** Finds the caller's groups that are active and have not expired, newest first. */
  async findActive({ partnerId, environment }: Caller, now: Date): Promise<VoucherGroup[]> {
    return this.manager.find(VoucherGroup, {
      where: openGroups({ partnerId, environment }, now),
      order: { seq: 'DESC' },
    });
  }

  async findPage(partnerId: string, before: string | undefined, limit: number): Promise<VoucherGroup[]> {
    return this.manager.find(VoucherGroup, {
      where: { partnerId, ...(before === undefined ? {} : { seq: LessThan(before) }) },
      order: { seq: 'DESC' },
      take: limit,
    });
  }

  /** Inserts a group, unless a group with its id exists. @returns the stored group */
  async insertOrGet(
    manager: EntityManager,
    group: Omit<VoucherGroup, 'seq' | 'issued' | 'redeemed' | 'createdAt'>,
  ): Promise<VoucherGroup> {
    await manager.createQueryBuilder().insert().into(VoucherGroup).values(group).orIgnore().execute();
    return manager.findOneByOrFail(VoucherGroup, { id: group.id });
  }

  /** Finds and locks a group. Until the transaction ends, creations and redemptions of its coupons wait. */
  async findForUpdate(manager: EntityManager, id: string): Promise<VoucherGroup | null> {
    return manager.findOne(VoucherGroup, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async update(manager: EntityManager, id: string, change: Pick<VoucherGroup, 'status' | 'stock'>): Promise<void> {
    await manager.update(VoucherGroup, { id }, change);
  }

  /**
   * Deducts coupons from a group's stock, and locks the group until the transaction ends. A concurrent creation in this group waits for the
   * lock, and then sees the remaining stock.
   *
   * @returns null when the group does not exist for the caller, is inactive or expired, or has too few coupons left
   */
  async takeStock(manager: EntityManager, caller: Caller, groupId: string, count: number): Promise<TakenStock | null> {
    const [rows] = await manager.query<[TakenStock[], number]>(
      `update voucher_group
          set issued = issued + $4
        where id = $1 and partner_id = $2 and environment = $3
          and status = 'active' and (valid_until is null or valid_until > now())
          and (stock is null or issued + $4 <= stock)
        returning date_trunc('milliseconds', now()) as at, valid_until as "validUntil"`,
      [groupId, caller.partnerId, caller.environment, count],
    );
    return rows[0] ?? null;
  }

  /** Returns whether the group belongs to the caller, is active and has not expired. */
  async isOpen(manager: EntityManager, { partnerId, environment }: Caller, id: string, now: Date): Promise<boolean> {
    return manager.exists(VoucherGroup, { where: openGroups({ id, partnerId, environment }, now) });
  }

  /**
   * Adds redemptions to the counters of several groups, in one statement. Locks the groups in the order of their ids until the transaction
   * ends.
   *
   * @param counts the number of redemptions to add, by the group's id
   * @returns the owners of the groups, by the group's id
   */
  async countRedemptions(
    manager: EntityManager,
    counts: ReadonlyMap<string, number>,
  ): Promise<ReadonlyMap<string, GroupOwner>> {
    const rows = await queryPrepared<GroupOwner & { id: string }>(
      runnerOf(manager),
      'groups-count-redemptions',
      COUNT_REDEMPTIONS,
      [[...counts.keys()], [...counts.values()]],
    );
    return new Map(rows.map(({ id, partnerId, environment }) => [id, { partnerId, environment }]));
  }
}

/** The `where` condition for groups that are active and have not expired. */
const openGroups = (of: { id?: string; partnerId: string; environment: Environment }, now: Date) =>
  [IsNull(), MoreThan(now)].map((validUntil) => ({ ...of, status: 'active' as const, validUntil }));

const COUNT_REDEMPTIONS = `
  with locked as materialized (
    select id from voucher_group where id = any ($1::uuid[]) order by id for no key update
  )
  update voucher_group g
     set redeemed = g.redeemed + n.count
    from unnest($1::uuid[], $2::integer[]) as n (id, count)
    join locked on locked.id = n.id
   where g.id = n.id
   returning g.id, g.partner_id as "partnerId", g.environment`;
