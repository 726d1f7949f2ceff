import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { EntityManager, LessThan } from 'typeorm';
import type { PageRequest } from '../paging/page.rules';
import { Promotion } from './promotion.entity';

/** What it takes to say whose sale a purchase is. */
export type SellingPromotion = Pick<Promotion, 'id' | 'partnerId' | 'deactivatedAt'>;

@Injectable()
export class PromotionRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /** The promotion of that id and the promotion of that code, where they exist. */
  async findForSale(
    manager: EntityManager,
    { id, code }: { id: string | null; code: string | null },
  ): Promise<{ byId: SellingPromotion | null; byCode: SellingPromotion | null }> {
    if (id === null && code === null) return { byId: null, byCode: null };
    const rows = await queryPrepared<SellingPromotion & { hasCode: boolean | null }>(
      runnerOf(manager),
      'promotion-for-sale',
      `select id, partner_id as "partnerId", deactivated_at as "deactivatedAt", lower(code) = lower($2::text) as "hasCode"
         from promotion
        where id = $1::text or lower(code) = lower($2::text)`,
      [id, code],
    );
    return {
      byId: rows.find((row) => row.id === id) ?? null,
      byCode: rows.find((row) => row.hasCode === true) ?? null,
    };
  }

  /** @returns null when there is none with this id */
  async find(manager: EntityManager, id: string): Promise<Promotion | null> {
    return manager.findOneBy(Promotion, { id });
  }

  async findActive(manager: EntityManager, partnerId: string): Promise<Promotion | null> {
    return manager.findOneBy(Promotion, { partnerId, active: true });
  }

  /** @throws the driver's unique violation of `promotion_code` when the code is taken */
  async insert(manager: EntityManager, promotion: Omit<Promotion, 'seq'>): Promise<void> {
    await manager.insert(Promotion, promotion);
  }

  async update(manager: EntityManager, id: string, change: Pick<Promotion, 'active' | 'deactivatedAt'>): Promise<void> {
    await manager.update(Promotion, { id }, change);
  }

  async findPage(partnerId: string, { before, limit }: PageRequest): Promise<Promotion[]> {
    return this.manager.find(Promotion, {
      where: { partnerId, ...(before === null ? {} : { seq: LessThan(before) }) },
      order: { seq: 'DESC' },
      take: limit + 1,
    });
  }
}
