import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { isUniqueViolation } from '@tandem/database';
import { type Page, viewsOf } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import type { PageQuery } from '../paging/page.dto';
import { IntegrationKindMismatchError } from '../partner/partner.errors';
import { PartnerRepository } from '../partner/partner.repository';
import { type CreatePromotionBody, PromotionDto } from './promotion.dto';
import type { Promotion } from './promotion.entity';
import { PromotionCodeTakenError } from './promotion.errors';
import { PromotionRepository } from './promotion.repository';

@Injectable()
export class PromotionService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly promotions: PromotionRepository,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
  ) {}

  /** Creates a promotion. If the new promotion is active, the partner's previously active promotion is deactivated. */
  async createPromotion(partnerId: string, body: CreatePromotionBody, act: Act): Promise<PromotionDto> {
    const { code, percentOff, active = true } = body;
    const id = `prm_${randomUUID().replaceAll('-', '')}`;
    try {
      return await this.manager.transaction(async (manager) => {
        await this.lockPartner(manager, partnerId);
        if (active) await this.deactivateCurrent(manager, partnerId, act);
        const createdAt = await this.promotions.readClock(manager);
        const deactivatedAt = active ? null : createdAt;
        const promotion = { id, partnerId, code, percentOff, active, deactivatedAt, createdAt };
        await this.promotions.insert(manager, promotion);
        await this.audit.record(manager, act, { action: 'promotion.created', id, after: promotion });
        return promotion;
      });
    } catch (error) {
      if (isUniqueViolation(error, 'promotion_code')) throw new PromotionCodeTakenError();
      throw error;
    }
  }

  async changePromotion(id: string, { active }: { active: boolean }, act: Act): Promise<PromotionDto> {
    return this.manager.transaction(async (manager) => {
      const { partnerId } = await this.promotions.get(manager, id);
      await this.lockPartner(manager, partnerId);
      // The promotion is read again under the lock, because another request may have changed it before the lock was acquired.
      const promotion = await this.promotions.get(manager, id);
      if (promotion.active === active) return PromotionDto.of(promotion);
      if (active) await this.deactivateCurrent(manager, partnerId, act);
      return this.setActive(manager, promotion, active, act);
    });
  }

  async listPromotions(partnerId: string, query: PageQuery): Promise<Page<PromotionDto>> {
    await this.partners.get(partnerId);
    return viewsOf(await this.promotions.findPage(partnerId, query), PromotionDto.of);
  }

  /** Locks the partner, so that changes of its promotions run one after another and at most one promotion is active. */
  private async lockPartner(manager: EntityManager, partnerId: string): Promise<void> {
    const { kind } = await this.partners.getForUpdate(manager, partnerId);
    if (kind !== 'promotion') throw new IntegrationKindMismatchError('promotion');
  }

  private async deactivateCurrent(manager: EntityManager, partnerId: string, act: Act): Promise<void> {
    const current = await this.promotions.findActive(manager, partnerId);
    if (current) await this.setActive(manager, current, false, act);
  }

  private async setActive(
    manager: EntityManager,
    promotion: Promotion,
    active: boolean,
    act: Act,
  ): Promise<PromotionDto> {
    const change = { active, deactivatedAt: active ? null : await this.promotions.readClock(manager) };
    await this.promotions.update(manager, promotion.id, change);
    const before = PromotionDto.of(promotion);
    const after = { ...before, ...change };
    await this.audit.record(manager, act, { action: 'promotion.changed', id: promotion.id, before, after });
    return after;
  }
}
