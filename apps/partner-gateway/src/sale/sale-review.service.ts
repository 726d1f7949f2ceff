import { Injectable, Logger } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerRepository } from '../partner/partner.repository';
import type { HoldDecision, Sale } from './sale.entity';
import { PartnerInactiveError, SaleNotHeldError, SubscriptionNotFoundError } from './sale.errors';
import { SaleRepository } from './sale.repository';
import { assess } from './sale.rules';
import { SaleService } from './sale.service';
import { type DecisionsBody, type SaleDecision, type SaleDecisions, SaleDto } from './sale.dto';

/** The errors that concern only one of the sales in a request. The other sales are decided in spite of such an error. */
const UNDECIDED = [SubscriptionNotFoundError, SaleNotHeldError, PartnerInactiveError];

/** Releases and refuses held sales for managers. */
@Injectable()
export class SaleReviewService {
  private readonly logger = new Logger(SaleReviewService.name);

  constructor(
    private readonly sales: SaleRepository,
    private readonly saleService: SaleService,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly outbox: Outbox,
  ) {}

  /** Releases a held sale, which then qualifies. A repeated call changes nothing. */
  async releaseSale(oid: string, note: string | null, act: Act): Promise<SaleDto> {
    return this.decide({ oid, decision: 'released', note }, act, async (manager, sale) => {
      const partner = await this.partners.find(sale.partnerId ?? '', manager);
      if (!partner?.active) throw new PartnerInactiveError();
      return this.saleService.completeSale(manager, sale);
    });
  }

  /** Refuses a held sale, which then fails and can no longer qualify. A repeated call changes nothing. */
  async refuseSale(oid: string, note: string | null, act: Act): Promise<SaleDto> {
    return this.decide({ oid, decision: 'refused', note }, act, async (manager, sale) => {
      const refused = { ...sale, ...assess(sale, true) };
      await this.sales.save(manager, [{ before: sale, after: refused }]);
      return refused;
    });
  }

  /**
   * Decides each sale in its own transaction, so that a sale that cannot be decided does not stop the others. A repeated call does
   * not change the sales that are already decided.
   */
  async decideSales({ decision, oids, note = null }: DecisionsBody, act: Act): Promise<SaleDecisions> {
    const items: SaleDecision[] = [];
    for (const oid of oids) items.push(await this.decideOne(decision, oid, note, act));
    return { items };
  }

  private async decideOne(
    decision: DecisionsBody['decision'],
    oid: string,
    note: string | null,
    act: Act,
  ): Promise<SaleDecision> {
    try {
      const decide = decision === 'release' ? this.releaseSale(oid, note, act) : this.refuseSale(oid, note, act);
      return { oid, status: (await decide).status, code: null, detail: null };
    } catch (error) {
      if (!UNDECIDED.some((type) => error instanceof type)) throw error;
      const { code, message: detail } = error as Error & { code: string };
      return { oid, status: null, code, detail };
    }
  }

  private async decide(
    { oid, decision, note }: { oid: string; decision: HoldDecision; note: string | null },
    act: Act,
    apply: (manager: EntityManager, sale: Sale) => Promise<Sale>,
  ): Promise<SaleDto> {
    const { sale, isNew } = await this.outbox.transaction(async (manager) => {
      const sale = await this.sales.findForUpdate(manager, oid);
      if (!sale || sale.status === 'unattributed') throw new SubscriptionNotFoundError();
      if (sale.holdDecision === decision) return { sale: SaleDto.of(sale), isNew: false };
      if (sale.status !== 'held') throw new SaleNotHeldError(sale.status);
      const before = SaleDto.of(sale);
      const after = SaleDto.of(await apply(manager, { ...sale, holdDecision: decision, holdNote: note }));
      await this.audit.record(manager, act, { action: `sale.${decision}`, id: oid, before, after });
      return { sale: after, isNew: true };
    });
    if (isNew) {
      const { partnerId, status: to } = sale;
      this.logger.log({ msg: 'sale changed', oid, partnerId, from: 'held', to, holdDecision: decision });
    }
    return sale;
  }
}
