import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Page } from '@tandem/http-api';
import { EntityManager, In, MoreThan } from 'typeorm';
import { Pages } from '../paging/pages';
import type { Deactivation, PartnersQuery } from './partner.dto';
import { Partner } from './partner.entity';
import { PartnerNotFoundError } from './partner.errors';

@Injectable()
export class PartnerRepository {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly pages: Pages,
  ) {}

  /** @param manager the entity manager of the current transaction; omit it outside a transaction */
  async find(id: string, manager = this.manager): Promise<Partner | null> {
    return manager.findOneBy(Partner, { id });
  }

  /** @throws PartnerNotFoundError */
  async get(id: string): Promise<Partner> {
    return existing(await this.find(id));
  }

  /**
   * Reads and locks the partner. Until this transaction ends, other transactions cannot change the partner, issue tokens to it, or change
   * its promotions.
   *
   * @throws PartnerNotFoundError
   */
  async getForUpdate(manager: EntityManager, id: string): Promise<Partner> {
    return existing(await manager.findOne(Partner, { where: { id }, lock: { mode: 'pessimistic_write' } }));
  }

  /**
   * Reads and locks up to `limit` partners whose `seq` is higher than the given `seq`, in the order of their creation. Other transactions
   * that change these partners wait until this transaction ends.
   */
  lockAfter(manager: EntityManager, seq: string, limit: number): Promise<Partner[]> {
    const where = { seq: MoreThan(seq) };
    return manager.find(Partner, { where, order: { seq: 'ASC' }, take: limit, lock: { mode: 'pessimistic_read' } });
  }

  async insert(manager: EntityManager, partner: Omit<Partner, 'seq'>): Promise<void> {
    await manager.insert(Partner, partner);
  }

  async update(manager: EntityManager, id: string, change: Partial<Omit<Partner, 'id' | 'seq'>>): Promise<void> {
    await manager.update(Partner, { id }, change);
  }

  /** Returns a page of partners, newest first. @throws InvalidCursorError for an invalid cursor, or one that was issued for other filters */
  findPage(query: PartnersQuery): Promise<Page<Partner>> {
    const { search, kind, active } = query;
    // Older versions had no filters. Without filters, the list has the same name as in those versions, so that cursors of those versions
    // stay valid.
    const filters = [search, kind, active];
    const list = filters.every((one) => one === undefined) ? ['partners'] : ['partners', ...filters];
    return this.pages.read(list, query, (before, take) => {
      const found = this.manager.createQueryBuilder(Partner, 'partner').orderBy('partner.seq', 'DESC').take(take);
      if (before !== undefined) found.andWhere('partner.seq < :before', { before });
      if (kind !== undefined) found.andWhere('partner.kind = :kind', { kind });
      if (active !== undefined) found.andWhere('partner.active = :active', { active: active === 'true' });
      if (search !== undefined) found.andWhere(MATCHES, matchOf(search));
      return found.getMany();
    });
  }

  /** Returns a map from the ids of partners to their names. */
  async findNames(ids: Iterable<string>): Promise<Map<string, string>> {
    const found = await this.manager.find(Partner, { select: { id: true, name: true }, where: { id: In([...ids]) } });
    return new Map(found.map(({ id, name }) => [id, name]));
  }

  /** Returns the ids of at most `limit` partners that match a search. A search matches the same partners as in {@link findPage}. */
  async findIds(search: string, limit: number): Promise<string[]> {
    const found = await this.manager
      .createQueryBuilder(Partner, 'partner')
      .select(['partner.id'])
      .where(MATCHES, matchOf(search))
      .take(limit)
      .getMany();
    return found.map(({ id }) => id);
  }

  /** Counts the tokens and sales that a deactivation of the partner would affect, and finds the code of the active promotion. */
  async findAffected(id: string): Promise<Deactivation> {
    const [affected] = await this.manager.query<Deactivation[]>(AFFECTED, [id]);
    return affected as Deactivation;
  }
}

/** The condition of a search. There are thousands of partners, not millions, so a search for a part of a name needs no index. */
const MATCHES = `(partner.name ilike :part or partner.id = :search
  or exists (select 1 from promotion d where d.partner_id = partner.id and lower(d.code) = lower(:search))
  or exists (select 1 from partner_token t where t.partner_id = partner.id and t.last4 = :search))`;

const matchOf = (search: string) => ({ search, part: `%${search.replaceAll(/[\\%_]/g, '\\$&')}%` });

const COUNTED = 10_000;

const salesOf = (status: string): string =>
  `(select count(*)::int from (select 1 from sale where partner_id = $1 and status = '${status}' limit ${COUNTED}) s)`;

const AFFECTED = `
  select (select count(*)::int from partner_token
           where partner_id = $1 and portal_link_id is null
             and revoked_at is null and (expires_at is null or expires_at > now())) as tokens,
    (select code from promotion where partner_id = $1 and active) as "promotionCode",
    ${salesOf('held')} as "heldSales", ${salesOf('pending')} as "pendingSales",
    (select coalesce(sum(sales), 0)::float8 from sale_statistic
      where partner_id = $1 and environment = 'live' and bucket >= now() - interval '30 days') as "recentSales"`;

function existing(partner: Partner | null): Partner {
  if (!partner) throw new PartnerNotFoundError();
  return partner;
}
