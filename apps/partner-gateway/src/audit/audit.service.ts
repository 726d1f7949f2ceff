import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { type Page, pageRequest, toPage } from '../paging/page.rules';
import { AuditRepository } from './audit.repository';

/** What an act changed. Values must be masked already: see the `audited…` views beside each entity. */
export interface AuditedChange {
  action: string;
  entity: 'partner' | 'partner_token' | 'promotion' | 'sale' | 'voucher_group' | 'postback' | 'delivery';
  entityId: string;
  before: object | null;
  after: object | null;
}

export interface AuditEntryView extends AuditedChange {
  id: string;
  at: string;
  actor: string;
  requestId: string;
}

@Injectable()
export class AuditService {
  constructor(private readonly entries: AuditRepository) {}

  /** Leaves a row in the act's own transaction: there is no act without it. */
  async record(manager: EntityManager, act: Act, change: AuditedChange): Promise<void> {
    await this.entries.insert(manager, { ...change, actor: act.actor, requestId: act.requestId });
  }

  async listEntries(query: { cursor?: string; limit: number }): Promise<Page<AuditEntryView>> {
    const request = pageRequest('audit', query);
    return toPage('audit', request, await this.entries.findPage(request), ({ seq, at, ...entry }) => ({
      id: seq,
      at: at.toISOString(),
      ...(entry as Omit<AuditEntryView, 'id' | 'at'>),
    }));
  }
}
