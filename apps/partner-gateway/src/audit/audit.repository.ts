import { Injectable } from '@nestjs/common';
import type { Page } from '@tandem/service-defaults';
import type { EntityManager } from 'typeorm';
import { Pages, type WantedPage } from '../paging/pages';
import { AuditEntry } from './audit.entity';

@Injectable()
export class AuditRepository {
  constructor(private readonly pages: Pages) {}

  async insert(manager: EntityManager, entry: Omit<AuditEntry, 'seq' | 'at'>): Promise<void> {
    await manager.insert(AuditEntry, entry);
  }

  findPage(wanted: WantedPage): Promise<Page<AuditEntry>> {
    return this.pages.find(AuditEntry, ['audit'], {}, wanted);
  }
}
