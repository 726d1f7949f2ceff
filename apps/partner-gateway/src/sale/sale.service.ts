import { Injectable, Logger } from '@nestjs/common';
import { CheckoutTokens } from '@tandem/auth';
import { type PaymentReceived, SALE_CLOSED, SALE_COMPLETED } from '@tandem/contracts';
import { type EventBatch, Outbox, type ReceivedEvent, runInEvent } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import { PartnerGatewayConfig } from '../config';
import { PromotionRepository } from '../promotion/promotion.repository';
import { BuyerSales, type FraudLimits } from './fraud.rules';
import { buyerTimesOf, lookUp, promotionsOf, promotionsOfSales, readPayment } from './payment.rules';
import type { Sale } from './sale.entity';
import { SaleRepository } from './sale.repository';
import { completedEvent, qualify } from './sale.rules';
import { SaleBatch, type SaleNote } from './sale-batch.rules';

/** Creates and updates sales from payment events. */
@Injectable()
export class SaleService {
  private readonly logger = new Logger(SaleService.name);
  private readonly limits: FraudLimits;

  constructor(
    private readonly sales: SaleRepository,
    private readonly promotions: PromotionRepository,
    private readonly checkoutTokens: CheckoutTokens,
    private readonly outbox: Outbox,
    config: PartnerGatewayConfig,
  ) {
    this.limits = {
      maxSalesPerHour: config.FRAUD_MAX_SALES_PER_HOUR,
      disposableDomains: config.DISPOSABLE_EMAIL_DOMAINS,
    };
  }

  /**
   * Records payment events in the transaction of their batch: reads everything, decides in memory, and then writes. A call takes at most
   * eight statements for any number of events, and at most six when no sale is closed and no sale existed before. Statements that do not
   * depend on each other are sent together. Events other than first purchases, refunds and chargebacks are ignored, because they do not
   * concern a sale.
   *
   * @throws PermanentEventError for an invalid event, before this method reads or writes anything
   * @throws ConcurrentUpdateError when another transaction has created one of the sales in the meantime; the batch then runs again and finds
   * this sale
   */
  async recordPayments(events: readonly ReceivedEvent<PaymentReceived>[], batch: EventBatch): Promise<void> {
    const { manager } = batch;
    const payments = events.flatMap((event) => readPayment(event, this.checkoutTokens) ?? []);
    if (payments.length === 0) return;
    const oids = new Set(payments.map(({ oid }) => oid));
    const [known, named] = await Promise.all([
      this.sales.lockSales(manager, oids),
      this.promotions.findForSales(manager, promotionsOf(payments)),
    ]);
    const ids = promotionsOfSales(payments, known, named);
    const ofSales = await this.promotions.findForSales(manager, { ids, codes: new Set() });
    const promotions = { ...named, byId: new Map([...named.byId, ...ofSales.byId]) };
    const lookedUp = payments.map((payment) => lookUp(payment, promotions));
    const times = buyerTimesOf(lookedUp, known);
    const around = { limit: this.limits.maxSalesPerHour, except: oids };
    const buyers = new BuyerSales(await this.sales.lockAndFindSalesAround(manager, times, around));
    const outcome = new SaleBatch(known, promotions, buyers, this.limits, new Date());
    for (const payment of lookedUp) outcome.record(payment);
    await Promise.all([
      this.sales.save(manager, outcome.changes),
      this.outbox.addMany(manager, SALE_COMPLETED, outcome.completed),
      this.outbox.addMany(manager, SALE_CLOSED, outcome.closed),
    ]);
    batch.afterCommit(() => this.log(outcome.notes));
  }

  /** Completes a held sale that a manager has released: the sale qualifies and is saved, and its `sale.completed` is published. */
  async completeSale(manager: EntityManager, sale: Sale): Promise<Sale> {
    const qualified = qualify(sale, new Date());
    await this.sales.save(manager, [{ before: sale, after: qualified }]);
    const { data, ...options } = completedEvent(qualified);
    await this.outbox.add(manager, SALE_COMPLETED, data, options);
    return qualified;
  }

  private log(notes: readonly SaleNote[]): void {
    for (const { event, line } of notes) runInEvent(event, () => this.logger.log(line));
  }
}
