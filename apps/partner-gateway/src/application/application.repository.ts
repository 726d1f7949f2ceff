import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Page } from '@tandem/http-api';
import { EntityManager } from 'typeorm';
import type { PageQuery } from '../paging/page.dto';
import { Pages } from '../paging/pages';
import { type ApplicationStatus, PartnerApplication } from './application.entity';
import { ApplicationNotFoundError } from './application.errors';

export type NewApplication = Omit<PartnerApplication, 'seq' | 'status' | 'partnerId' | 'note' | 'decidedAt'>;

@Injectable()
export class ApplicationRepository {
  constructor(
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly pages: Pages,
  ) {}

  /**
   * Stores an application, unless an application with the same e-mail address is pending. If two applications with one address arrive
   * concurrently, the second insert waits until the transaction of the first ends.
   *
   * @returns the id of the stored application, or of the application that was already pending
   */
  async insert(application: NewApplication): Promise<string> {
    const { id, kind, companyName, website, contactEncrypted, emailHash, createdAt } = application;
    const values = [id, kind, companyName, website, contactEncrypted, emailHash, createdAt];
    const [row] = await this.manager.query<[{ id: string }]>(INSERT, values);
    return row.id;
  }

  /** Reads and locks the application, so that a concurrent decision has to wait. @throws ApplicationNotFoundError */
  async getForUpdate(manager: EntityManager, id: string): Promise<PartnerApplication> {
    const found = await manager.findOne(PartnerApplication, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!found) throw new ApplicationNotFoundError();
    return found;
  }

  async update(manager: EntityManager, { id, status, partnerId, note, decidedAt, updatedAt }: PartnerApplication) {
    await manager.update(PartnerApplication, { id }, { status, partnerId, note, decidedAt, updatedAt });
  }

  /**
   * Returns a page of applications, newest first.
   *
   * @throws InvalidCursorError for an invalid cursor, or one that was issued for another status
   */
  findPage(status: ApplicationStatus | undefined, query: PageQuery): Promise<Page<PartnerApplication>> {
    return this.pages.find(PartnerApplication, ['applications', status], status === undefined ? {} : { status }, query);
  }

  /** Counts the pending applications. @param most the count stops at this number */
  countPending(most: number): Promise<number> {
    return this.pages.count(PartnerApplication, { status: 'pending' }, most);
  }
}

/**
 * On a conflict, the update leaves the pending row as it is. The update is needed because `returning` yields a row only if the row was
 * written.
 */
const INSERT = `
  insert into partner_application
    (id, kind, company_name, website, contact_encrypted, email_hash, created_at, updated_at)
  values ($1, $2, $3, $4, $5, $6, $7, $7)
  on conflict (email_hash) where status = 'pending' do update set status = 'pending'
  returning id`;
