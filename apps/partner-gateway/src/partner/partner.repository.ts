import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Page } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import { Partner } from './partner.entity';
import { PartnerNotFoundError } from './partner.errors';

@Injectable()
export class PartnerRepository {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly pages: Pages,
  ) {}

  /** @param manager of the current transaction, if any */
  async find(id: string, manager = this.manager): Promise<Partner | null> {
    return manager.findOneBy(Partner, { id });
  }

  /** @throws PartnerNotFoundError */
  async get(id: string): Promise<Partner> {
    return existing(await this.find(id));
  }

  /** Locks the partner: other acts on it, its tokens and its promotions wait until the transaction ends. @throws PartnerNotFoundError */
  async getForUpdate(manager: EntityManager, id: string): Promise<Partner> {
    return existing(await manager.findOne(Partner, { where: { id }, lock: { mode: 'pessimistic_write' } }));
  }

  async insert(manager: EntityManager, partner: Omit<Partner, 'seq'>): Promise<void> {
    await manager.insert(Partner, partner);
  }

  async update(manager: EntityManager, id: string, change: Partial<Omit<Partner, 'id' | 'seq'>>): Promise<void> {
    await manager.update(Partner, { id }, change);
  }

  findPage(query: PageQuery): Promise<Page<Partner>> {
    return this.pages.find(Partner, ['partners'], {}, query);
  }
}

function existing(partner: Partner | null): Partner {
  if (!partner) throw new PartnerNotFoundError();
  return partner;
}
