import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { isUniqueViolation } from '@tandem/database';
import { type Page, viewsOf } from '@tandem/service-defaults';
import { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { AuditService } from '../audit/audit.service';
import type { WantedPage } from '../paging/pages';
import type { Partner } from '../partner/partner.entity';
import { IntegrationKindMismatchError, PartnerNotFoundError } from '../partner/partner.errors';
import { PartnerRepository } from '../partner/partner.repository';
import { type CreatePromotionBody, PromotionDto } from './promotion.dto';
import type { Promotion } from './promotion.entity';
import { PromotionCodeTakenError, PromotionNotFoundError } from './promotion.errors';
import { PromotionRepository } from './promotion.repository';

@Injectable()
export class PromotionService {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly promotions: PromotionRepository,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
  ) {}

  /** Creates a promotion; when it is active, the one before is not any more. */
  async createPromotion(partnerId: string, body: CreatePromotionBody, act: Act): Promise<PromotionDto> {
    const now = new Date();
    const active = body.active ?? true;
    const promotion = {
      id: `prm_${randomUUID().replaceAll('-', '')}`,
      partnerId,
      code: body.code,
      percentOff: body.percentOff,
      active,
      deactivatedAt: active ? null : now,
      createdAt: now,
    };
    try {
      await this.manager.transaction(async (manager) => {
        await this.lockPartner(manager, partnerId);
        if (active) await this.deactivateCurrent(manager, partnerId, act);
        await this.promotions.insert(manager, promotion);
        await this.recordAct(manager, act, 'promotion.created', null, promotion);
      });
    } catch (error) {
      if (isUniqueViolation(error, 'promotion_code')) throw new PromotionCodeTakenError();
      throw error;
    }
    return promotion;
  }

  async changePromotion(id: string, { active }: { active: boolean }, act: Act): Promise<PromotionDto> {
    return this.manager.transaction(async (manager) => {
      const found = await this.promotions.find(manager, id);
      if (!found) throw new PromotionNotFoundError();
      await this.lockPartner(manager, found.partnerId);
      // Read again under the lock: another act may have changed it in between.
      const promotion = (await this.promotions.find(manager, id)) ?? found;
      if (promotion.active === active) return PromotionDto.of(promotion);
      if (active) await this.deactivateCurrent(manager, promotion.partnerId, act);
      return this.setActive(manager, promotion, active, act);
    });
  }

  async listPromotions(partnerId: string, wanted: WantedPage): Promise<Page<PromotionDto>> {
    if (!(await this.partners.find(partnerId))) throw new PartnerNotFoundError();
    return viewsOf(await this.promotions.findPage(partnerId, wanted), PromotionDto.of);
  }

  /** Acts on one partner's promotions come one after the other, so that one is active at a time. */
  private async lockPartner(manager: EntityManager, partnerId: string): Promise<Partner> {
    const partner = await this.partners.findForUpdate(manager, partnerId);
    if (!partner) throw new PartnerNotFoundError();
    if (partner.kind !== 'promotion') throw new IntegrationKindMismatchError('promotion');
    return partner;
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
    const change = { active, deactivatedAt: active ? null : new Date() };
    await this.promotions.update(manager, promotion.id, change);
    const after = PromotionDto.of({ ...promotion, ...change });
    await this.recordAct(manager, act, 'promotion.changed', PromotionDto.of(promotion), after);
    return after;
  }

  private async recordAct(
    manager: EntityManager,
    act: Act,
    action: string,
    before: PromotionDto | null,
    after: PromotionDto,
  ): Promise<void> {
    await this.audit.record(manager, act, { action, entity: 'promotion', entityId: after.id, before, after });
  }
}
