import { Injectable, Logger } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import { type Page, viewsOf } from '@tandem/http-api';
import type { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import type { PageQuery } from '../paging/page.dto';
import { PartnerRepository } from '../partner/partner.repository';
import type { HoldDecision, Sale } from './sale.entity';
import { PartnerInactiveError, SaleNotHeldError, SubscriptionNotFoundError } from './sale.errors';
import { type SaleFilter, SaleRepository } from './sale.repository';
import { assess } from './sale.rules';
import { SaleService } from './sale.service';
import { SaleDto } from './sale.dto';

/** Managers list sales, and decide the held ones. */
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

  /** Newest first. @throws InvalidCursorError for a cursor of other filters */
  async listSales(query: SaleFilter & PageQuery): Promise<Page<SaleDto>> {
    return viewsOf(await this.sales.findPage(query, query), SaleDto.of);
  }

  /** Qualifies a held sale. A repeat changes nothing. */
  async releaseSale(oid: string, act: Act): Promise<SaleDto> {
    return this.decide(oid, 'released', act, async (manager, sale) => {
      const partner = await this.partners.find(sale.partnerId ?? '', manager);
      if (!partner?.active) throw new PartnerInactiveError();
      return this.saleService.completeSale(manager, sale);
    });
  }

  /** Fails a held sale permanently. A repeat changes nothing. */
  async refuseSale(oid: string, act: Act): Promise<SaleDto> {
    return this.decide(oid, 'refused', act, async (manager, sale) => {
      const refused = { ...sale, ...assess(sale, true) };
      await this.sales.save(manager, [{ before: sale, after: refused }]);
      return refused;
    });
  }

  private async decide(
    oid: string,
    decision: HoldDecision,
    act: Act,
    apply: (manager: EntityManager, sale: Sale) => Promise<Sale>,
  ): Promise<SaleDto> {
    const { sale, isNew } = await this.outbox.transaction(async (manager) => {
      const sale = await this.sales.findForUpdate(manager, oid);
      if (!sale || sale.status === 'unattributed') throw new SubscriptionNotFoundError();
      if (sale.holdDecision === decision) return { sale: SaleDto.of(sale), isNew: false };
      if (sale.status !== 'held') throw new SaleNotHeldError(sale.status);
      const before = SaleDto.of(sale);
      const after = SaleDto.of(await apply(manager, { ...sale, holdDecision: decision }));
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
