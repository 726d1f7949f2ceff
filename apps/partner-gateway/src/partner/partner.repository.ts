import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { queryPrepared, runnerOf } from '@tandem/database';
import { EntityManager, LessThan } from 'typeorm';
import type { PageRequest } from '../paging/page.rules';
import { Partner } from './partner.entity';

@Injectable()
export class PartnerRepository {
  constructor(@InjectEntityManager() private readonly manager: EntityManager) {}

  async find(id: string): Promise<Partner | null> {
    return this.manager.findOneBy(Partner, { id });
  }

  /** What the sales rules ask of a partner, in the transaction of `manager`. */
  async getStanding(manager: EntityManager, id: string): Promise<Pick<Partner, 'id' | 'active' | 'contactEmailHash'>> {
    const [partner] = await queryPrepared<Pick<Partner, 'id' | 'active' | 'contactEmailHash'>>(
      runnerOf(manager),
      'partner-standing',
      `select id, active, contact_email_hash as "contactEmailHash" from partner where id = $1`,
      [id],
    );
    if (!partner) throw new Error(`there is no partner ${id}`);
    return partner;
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
