import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Outbox } from '@tandem/messaging';
import type { Page } from '@tandem/service-defaults';
import type { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { AuditService } from '../audit/audit.service';
import { pageRequest, toPage } from '../paging/page.rules';
import { PartnerRepository } from '../partner/partner.repository';
import type { HoldDecision, Sale } from './sale.entity';
import { PartnerInactiveError, SaleNotHeldError, SubscriptionNotFoundError } from './sale.errors';
import { type SaleFilter, SaleRepository } from './sale.repository';
import { assess } from './sale.rules';
import { SaleService } from './sale.service';
import { type SaleDto, viewOf } from './sale.dto';

/** What managers do with sales: look at them, and decide the held ones. */
@Injectable()
export class SaleReviewService {
  constructor(
    private readonly sales: SaleRepository,
    private readonly saleService: SaleService,
    private readonly partners: PartnerRepository,
    private readonly audit: AuditService,
    private readonly outbox: Outbox,
  ) {}

  /** Newest first. @throws InvalidCursorError for a cursor of other filters */
  async listSales(query: SaleFilter & { cursor?: string; limit: number }): Promise<Page<SaleDto>> {
    const { status, partnerId, oid, refId } = query;
    const list = `sales:${cursorScope([status, partnerId, oid, refId])}`;
    const request = pageRequest(list, query);
    return toPage(list, request, await this.sales.findPage({ status, partnerId, oid, refId }, request), viewOf);
  }

  /** The held sale qualifies now. A repeat changes nothing. */
  async releaseSale(oid: string, act: Act): Promise<SaleDto> {
    return this.decide(oid, 'released', act, async (manager, sale) => {
      const partner = await this.partners.getStanding(manager, sale.partnerId ?? '');
      if (!partner.active) throw new PartnerInactiveError();
      return this.saleService.completeSale(manager, sale);
    });
  }

  /** The held sale never qualifies: it is `failed` for good. A repeat changes nothing. */
  async refuseSale(oid: string, act: Act): Promise<SaleDto> {
    return this.decide(oid, 'refused', act, async (manager, sale) => {
      const refused = { ...sale, ...assess(sale, true) };
      await this.sales.save(manager, [refused], [sale.oid]);
      return refused;
    });
  }

  private async decide(
    oid: string,
    decision: HoldDecision,
    act: Act,
    apply: (manager: EntityManager, sale: Sale) => Promise<Sale>,
  ): Promise<SaleDto> {
    return this.outbox.transaction(async (manager) => {
      const sale = await this.sales.findForUpdate(manager, oid);
      if (!sale || sale.status === 'unattributed') throw new SubscriptionNotFoundError();
      if (sale.holdDecision === decision) return viewOf(sale);
      if (sale.status !== 'held') throw new SaleNotHeldError(sale.status);
      const before = viewOf(sale);
      const after = viewOf(await apply(manager, { ...sale, holdDecision: decision }));
      await this.audit.record(manager, act, {
        action: `sale.${decision}`,
        entity: 'sale',
        entityId: oid,
        before,
        after,
      });
      return after;
    });
  }
}

/** What a cursor is bound to: short whatever the filters are, and the status alone when there is no other. */
function cursorScope([status = '', ...filters]: (string | undefined)[]): string {
  if (filters.every((value) => value === undefined)) return status;
  const text = JSON.stringify([status, ...filters.map((value) => value ?? null)]);
  return createHash('sha256').update(text).digest('base64url');
}
