import { Injectable, Logger } from '@nestjs/common';
import { type PaymentReceived, type Purchase, SALE_COMPLETED } from '@tandem/contracts';
import { Outbox, PermanentEventError } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { CheckoutTokens } from '../checkout/checkout-token';
import { PartnerGatewayConfig } from '../config';
import { PartnerRepository } from '../partner/partner.repository';
import { PromotionRepository } from '../promotion/promotion.repository';
import { attribute, type Attribution } from './attribution.rules';
import { findHoldReason } from './fraud.rules';
import type { ClosedBy, Sale } from './sale.entity';
import { SaleRepository } from './sale.repository';
import { assess, purchaseFacts, toSaleCompleted, withClosure, withPurchase } from './sale.rules';

/** Turns what the payment provider says into sales. */
@Injectable()
export class SaleService {
  private readonly logger = new Logger(SaleService.name);

  constructor(
    private readonly sales: SaleRepository,
    private readonly promotions: PromotionRepository,
    private readonly partners: PartnerRepository,
    private readonly checkoutTokens: CheckoutTokens,
    private readonly outbox: Outbox,
    private readonly config: PartnerGatewayConfig,
  ) {}

  /** Records one payment event in the transaction of `manager`. Only purchases, refunds and charge-backs change a sale. */
  async recordPayment(manager: EntityManager, event: PaymentReceived): Promise<void> {
    const at = new Date(event.occurredAt);
    if (Number.isNaN(at.getTime())) throw new PermanentEventError(`occurredAt of ${event.paymentId} is no time`);
    if (event.type === 'subscription.purchased') {
      if (!event.purchase) throw new PermanentEventError(`The purchase of ${event.paymentId} is missing`);
      await this.recordPurchase(manager, event, event.purchase, at);
    }
    if (event.type === 'subscription.refunded') await this.recordClosure(manager, event.subscriptionId, 'refunded', at);
    if (event.type === 'subscription.charged_back') {
      await this.recordClosure(manager, event.subscriptionId, 'charged_back', at);
    }
  }

  private async recordPurchase(
    manager: EntityManager,
    event: PaymentReceived,
    purchase: Purchase,
    at: Date,
  ): Promise<void> {
    // Partners sell first payments; what comes after says nothing about them.
    if (!purchase.firstPayment) return;
    const sale = await this.lockSale(manager, event.subscriptionId, purchase);
    // One subscription has one qualified sale, and nothing that is bought can change it.
    if (sale === null || sale.qualifiedAt !== null) return;
    const attribution = await this.findAttribution(manager, purchase, at);
    const next = withPurchase(sale, purchaseFacts(event, purchase, at), attribution);
    await this.settle(manager, sale, next);
  }

  /** Null when there is nothing to keep: a purchase without a partner's sign is none of our business. */
  private async lockSale(manager: EntityManager, oid: string, purchase: Purchase): Promise<Sale | null> {
    const { checkoutToken, promotionCode } = purchase.attribution ?? {};
    return checkoutToken || promotionCode
      ? this.sales.lockOrCreate(manager, oid)
      : this.sales.findForUpdate(manager, oid);
  }

  private async findAttribution(manager: EntityManager, purchase: Purchase, at: Date): Promise<Attribution | null> {
    const { checkoutToken, promotionCode, data4 } = purchase.attribution ?? {};
    const claims = checkoutToken ? this.checkoutTokens.verify(checkoutToken, at) : null;
    const promotions = await this.promotions.findForSale(manager, {
      id: claims?.promotionId ?? null,
      code: promotionCode || null,
    });
    return attribute({ claims, ...promotions, data4, purchasedAt: at });
  }

  private async settle(manager: EntityManager, sale: Sale, next: Sale): Promise<void> {
    if (next.partnerId === null) return this.sales.save(manager, next);
    const partner = await this.partners.getStanding(manager, next.partnerId);
    let assessment = assess(next, partner.active);
    if (assessment.status === 'qualified' && next.holdDecision === null) {
      const salesInHour = await this.sales.countBuyersSales(manager, next);
      next.holdReason = findHoldReason(
        { ...next, partnerEmailHash: partner.contactEmailHash, salesInHour },
        {
          maxSalesPerHour: this.config.FRAUD_MAX_SALES_PER_HOUR,
          disposableDomains: this.config.disposableEmailDomains,
        },
      );
      assessment = assess(next, partner.active);
    }
    Object.assign(next, assessment);
    if (next.status === 'qualified') await this.completeSale(manager, next);
    else await this.sales.save(manager, next);
    this.logChange(sale, next);
  }

  /** Saves a sale that qualifies now, with its event. Also for a held one that was released. */
  async completeSale(manager: EntityManager, sale: Sale): Promise<void> {
    sale.qualifiedAt = new Date();
    sale.version += 1;
    await this.sales.save(manager, sale);
    await this.outbox.add(manager, SALE_COMPLETED, toSaleCompleted(sale), { version: sale.version });
  }

  private async recordClosure(manager: EntityManager, oid: string, closedBy: ClosedBy, at: Date): Promise<void> {
    // Kept also when no sale is known: the purchase may still be on its way.
    const sale = await this.sales.lockOrCreate(manager, oid);
    const closed = withClosure(sale, closedBy, at);
    // Whether the partner was active was decided when the purchase arrived, and is not asked again.
    const next = { ...closed, ...assess(closed, sale.failureReason !== 'partner_inactive') };
    await this.sales.save(manager, next);
    this.logChange(sale, next);
  }

  private logChange(before: Sale, { oid, partnerId, status, holdReason, failureReason }: Sale): void {
    if (before.status === status) return;
    this.logger.log({
      msg: 'sale changed',
      oid,
      partnerId,
      from: before.status,
      to: status,
      holdReason,
      failureReason,
    });
  }
}
