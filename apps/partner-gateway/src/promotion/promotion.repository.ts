import { Injectable } from '@nestjs/common';
import { queryPrepared, readClock, runnerOf } from '@tandem/database';
import type { Page } from '@tandem/http-api';
import type { EntityManager } from 'typeorm';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import { Promotion } from './promotion.entity';
import { PromotionNotFoundError } from './promotion.errors';

/** The columns of a promotion that attribution needs, and the columns of its partner that the rules for sales need. */
export type SellingPromotion = Pick<Promotion, 'id' | 'partnerId' | 'deactivatedAt'> & {
  partnerActive: boolean;
  /** The hash of the partner's contact address; null if the partner has no such address. */
  partnerEmailHash: string | null;
};

export interface SellingPromotions {
  /** The promotions by id, including the promotions that were found by their code. */
  byId: ReadonlyMap<string, SellingPromotion>;
  /** The promotions by code. The codes are spelled as the caller passed them. */
  byCode: ReadonlyMap<string, SellingPromotion>;
}

const SELLING_COLUMNS = `promotion.id, partner_id as "partnerId", deactivated_at as "deactivatedAt",
    partner.active as "partnerActive", contact_email_hash as "partnerEmailHash"`;

const FIND_FOR_SALES = `
  select ${SELLING_COLUMNS}, null as code
    from unnest($1::text[]) as wanted (id) join promotion using (id) join partner on partner.id = partner_id
  union all
  select ${SELLING_COLUMNS}, wanted.code
    from unnest($2::text[]) as wanted (code)
    join promotion on lower(promotion.code) = lower(wanted.code) join partner on partner.id = partner_id`;

@Injectable()
export class PromotionRepository {
  constructor(private readonly pages: Pages) {}

  /** Reads the promotions that have one of these ids or codes, with the state of their partners, in at most one statement. */
  async findForSales(
    manager: EntityManager,
    { ids, codes }: { ids: ReadonlySet<string>; codes: ReadonlySet<string> },
  ): Promise<SellingPromotions> {
    if (ids.size === 0 && codes.size === 0) return { byId: new Map(), byCode: new Map() };
    const rows = await queryPrepared<SellingPromotion & { code: string | null }>(
      runnerOf(manager),
      'promotions-for-sales',
      FIND_FOR_SALES,
      [[...ids], [...codes]],
    );
    return {
      byId: new Map(rows.map((row) => [row.id, row])),
      byCode: new Map(rows.flatMap((row) => (row.code === null ? [] : [[row.code, row]]))),
    };
  }

  /** @throws PromotionNotFoundError */
  async get(manager: EntityManager, id: string): Promise<Promotion> {
    const promotion = await manager.findOneBy(Promotion, { id });
    if (!promotion) throw new PromotionNotFoundError();
    return promotion;
  }

  async findActive(manager: EntityManager, partnerId: string): Promise<Promotion | null> {
    return manager.findOneBy(Promotion, { partnerId, active: true });
  }

  /** @throws the database driver's unique violation of `promotion_code` when another promotion has the code */
  async insert(manager: EntityManager, promotion: Omit<Promotion, 'seq'>): Promise<void> {
    await manager.insert(Promotion, promotion);
  }

  async update(manager: EntityManager, id: string, change: Pick<Promotion, 'active' | 'deactivatedAt'>): Promise<void> {
    await manager.update(Promotion, { id }, change);
  }

  /**
   * Returns the database's time. Attribution compares the end of a promotion with the times of purchases, so the end must not depend on the
   * clock of one replica.
   */
  readClock(manager: EntityManager): Promise<Date> {
    return readClock(manager);
  }

  findPage(partnerId: string, query: PageQuery): Promise<Page<Promotion>> {
    return this.pages.find(Promotion, ['promotions', partnerId], { partnerId }, query);
  }
}
