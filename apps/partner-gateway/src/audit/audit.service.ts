import { Injectable } from '@nestjs/common';
import { type Page, viewsOf } from '@tandem/http-api';
import type { EntityManager } from 'typeorm';
import type { Act } from './act';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import { AuditEntryDto } from './audit.dto';
import { type AuditedEntity, AuditEntry } from './audit.entity';

type AuditedName = Exclude<AuditedEntity, 'partner_token'> | 'token';

/** The values that an act changed, already masked: no secret, no full e-mail address. */
export interface AuditedChange {
  /** The entity and the act: `promotion.changed`. */
  action: `${AuditedName}.${string}`;
  /** The entity's id. */
  id: string;
  before?: object | null;
  after?: object | null;
}

@Injectable()
export class AuditService {
  constructor(private readonly pages: Pages) {}

  /** Adds a row in the act's own transaction: no act goes unrecorded. */
  async record(manager: EntityManager, act: Act, change: AuditedChange): Promise<void> {
    const { action, id: entityId, before = null, after = null } = change;
    const [name] = action.split('.', 1) as [AuditedName];
    const entity = name === 'token' ? 'partner_token' : name;
    await manager.insert(AuditEntry, { ...act, action, entity, entityId, before, after });
  }

  async listEntries(query: PageQuery): Promise<Page<AuditEntryDto>> {
    const page = await this.pages.find(AuditEntry, ['audit'], {}, query);
    return viewsOf(page, (entry) => ({ id: entry.seq, ...AuditEntryDto.of(entry) }));
  }
}
