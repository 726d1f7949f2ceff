import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager, LessThan } from 'typeorm';
import type { PageRequest } from '../paging/page.rules';
import { AuditEntry } from './audit.entity';

@Injectable()
export class AuditRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  async insert(manager: EntityManager, entry: Omit<AuditEntry, 'seq' | 'at'>): Promise<void> {
    await manager.insert(AuditEntry, entry);
  }

  async findPage({ before, limit }: PageRequest): Promise<AuditEntry[]> {
    return this.manager.find(AuditEntry, {
      where: before === null ? {} : { seq: LessThan(before) },
      order: { seq: 'DESC' },
      take: limit + 1,
    });
  }
}
