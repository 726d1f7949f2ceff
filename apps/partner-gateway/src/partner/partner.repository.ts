import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager, LessThan } from 'typeorm';
import type { PageRequest } from '../paging/page.rules';
import { Partner } from './partner.entity';

@Injectable()
export class PartnerRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  /** @param manager of the transaction, when there is one */
  async find(id: string, manager = this.manager): Promise<Partner | null> {
    return manager.findOneBy(Partner, { id });
  }

  /** Other acts on the partner, its tokens and its promotions wait until the transaction ends. */
  async findForUpdate(manager: EntityManager, id: string): Promise<Partner | null> {
    return manager.findOne(Partner, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async insert(manager: EntityManager, partner: Omit<Partner, 'seq'>): Promise<void> {
    await manager.insert(Partner, partner);
  }

  async update(manager: EntityManager, id: string, change: Partial<Omit<Partner, 'id' | 'seq'>>): Promise<void> {
    await manager.update(Partner, { id }, change);
  }

  async findPage({ before, limit }: PageRequest): Promise<Partner[]> {
    return this.manager.find(Partner, {
      where: before === null ? {} : { seq: LessThan(before) },
      order: { seq: 'DESC' },
      take: limit + 1,
    });
  }
}
