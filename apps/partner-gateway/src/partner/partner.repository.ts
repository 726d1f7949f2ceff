import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Page } from '@tandem/service-defaults';
import { EntityManager } from 'typeorm';
import { Pages, type WantedPage } from '../paging/pages';
import { Partner } from './partner.entity';

@Injectable()
export class PartnerRepository {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly pages: Pages,
  ) {}

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

  findPage(wanted: WantedPage): Promise<Page<Partner>> {
    return this.pages.find(Partner, ['partners'], {}, wanted);
  }
}
