import { Injectable } from '@nestjs/common';
import type { Page } from '@tandem/service-defaults';
import type { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import { pageRequest, toPage } from '../paging/page.rules';
import type { AuditEntryDto } from './audit.dto';
import type { AuditEntry } from './audit.entity';
import { AuditRepository } from './audit.repository';

/** What an act changed. Values must be masked already: no secret, no full e-mail address. */
export type AuditedChange = Pick<AuditEntry, 'action' | 'entity' | 'entityId' | 'before' | 'after'>;

@Injectable()
export class AuditService {
  constructor(private readonly entries: AuditRepository) {}

  /** Leaves a row in the act's own transaction: there is no act without it. */
  async record(manager: EntityManager, act: Act, change: AuditedChange): Promise<void> {
    await this.entries.insert(manager, { ...change, actor: act.actor, requestId: act.requestId });
  }

  async listEntries(query: { cursor?: string; limit: number }): Promise<Page<AuditEntryDto>> {
    const request = pageRequest('audit', query);
    const entries = await this.entries.findPage(request);
    return toPage('audit', request, entries, ({ seq: id, ...entry }) => ({ id, ...entry }));
  }
}
