import { Injectable } from '@nestjs/common';
import { type Page, viewsOf } from '@tandem/service-defaults';
import type { EntityManager } from 'typeorm';
import type { Act } from '../admin/act';
import type { WantedPage } from '../paging/pages';
import { AuditEntryDto } from './audit.dto';
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

  async listEntries(wanted: WantedPage): Promise<Page<AuditEntryDto>> {
    return viewsOf(await this.entries.findPage(wanted), (entry) => ({ id: entry.seq, ...AuditEntryDto.of(entry) }));
  }
}
