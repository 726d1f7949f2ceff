import { Injectable } from '@nestjs/common';
import { EntitlementService } from '../enrollment/entitlement.service';
import { type ReportRequest, VendorReports } from '../array/vendor-reports';
import { type FinancialAccountsStatus, financialAccountsStatus } from './financial-account.rules';

@Injectable()
export class FinancialAccountService {
  constructor(
    private readonly entitlements: EntitlementService,
    private readonly reports: VendorReports,
  ) {}

  /** @throws UserNotFoundError, EntitlementsRequiredError, VendorError */
  async getStatus(krn: string): Promise<FinancialAccountsStatus> {
    return this.statusOf(await this.entitlements.getGranted(krn, 'FINANCIAL_ACCOUNTS'));
  }

  /** The same for a user who is known to be entitled. @throws VendorError */
  async statusOf(request: ReportRequest): Promise<FinancialAccountsStatus> {
    return financialAccountsStatus(await this.reports.listInstitutions(request));
  }
}
