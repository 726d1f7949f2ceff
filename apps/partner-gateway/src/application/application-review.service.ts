import { Injectable } from '@nestjs/common';
import { type Page, viewsOf } from '@tandem/http-api';
import { Outbox } from '@tandem/messaging';
import type { EntityManager } from 'typeorm';
import type { Act } from '../audit/act';
import { AuditService } from '../audit/audit.service';
import { PartnerAccounts } from '../partner/partner-accounts';
import type { PartnerDto } from '../partner/partner.dto';
import { Applicants } from './applicants';
import { ApplicationDto, type ApplicationsQuery } from './application.dto';
import type { PartnerApplication } from './application.entity';
import { ApplicationDecidedError } from './application.errors';
import { ApplicationRepository } from './application.repository';
import { audited } from './application.rules';

/** Lists applications for managers, and stores the managers' decisions. Each application can be decided only once. */
@Injectable()
export class ApplicationReviewService {
  constructor(
    private readonly applications: ApplicationRepository,
    private readonly applicants: Applicants,
    private readonly accounts: PartnerAccounts,
    private readonly audit: AuditService,
    private readonly outbox: Outbox,
  ) {}

  /**
   * Returns a page of applications, newest first.
   *
   * @throws InvalidCursorError for an invalid cursor, or one that was issued for another status
   */
  async listApplications(query: ApplicationsQuery): Promise<Page<ApplicationDto>> {
    const page = await this.applications.findPage(query.status, query);
    return viewsOf(page, (application) => this.viewOf(application));
  }

  /**
   * Approves an application. The partner is created in the transaction that stores the decision.
   *
   * @throws ApplicationNotFoundError, ApplicationDecidedError
   */
  approve(id: string, act: Act): Promise<PartnerDto> {
    return this.outbox.transaction(async (manager) => {
      const application = await this.pending(manager, id);
      const { companyName: name, kind } = application;
      const { email: contactEmail } = this.applicants.read(application);
      const partner = await this.accounts.create(manager, { name, kind, contactEmail }, act);
      await this.decide(manager, application, { status: 'approved', partnerId: partner.id }, act);
      return partner;
    });
  }

  /** Rejects an application. @throws ApplicationNotFoundError, ApplicationDecidedError */
  reject(id: string, note: string | null, act: Act): Promise<ApplicationDto> {
    return this.outbox.transaction(async (manager) => {
      const application = await this.pending(manager, id);
      return this.viewOf(await this.decide(manager, application, { status: 'rejected', note }, act));
    });
  }

  private async pending(manager: EntityManager, id: string): Promise<PartnerApplication> {
    const application = await this.applications.getForUpdate(manager, id);
    if (application.status !== 'pending') throw new ApplicationDecidedError(application.status);
    return application;
  }

  private async decide(
    manager: EntityManager,
    before: PartnerApplication,
    decision: Partial<PartnerApplication> & { status: 'approved' | 'rejected' },
    act: Act,
  ): Promise<PartnerApplication> {
    const now = new Date();
    const after = { ...before, ...decision, decidedAt: now, updatedAt: now };
    await this.applications.update(manager, after);
    const change = { id: before.id, before: audited(before), after: audited(after) };
    await this.audit.record(manager, act, { action: `application.${decision.status}`, ...change });
    return after;
  }

  private viewOf(application: PartnerApplication): ApplicationDto {
    return { ...ApplicationDto.of(application), ...this.applicants.read(application) };
  }
}
