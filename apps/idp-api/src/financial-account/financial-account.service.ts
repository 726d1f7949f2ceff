import { Injectable } from '@nestjs/common';
import { EntitlementService } from '../enrollment/entitlement.service';
import { ProfileService } from '../profile/profile.service';
import { type ReportRequest, VendorReports } from '../vendor/vendor-reports';
import { type FinancialAccountsStatus, financialAccountsStatus } from './financial-account.rules';

@Injectable()
export class FinancialAccountService {
  constructor(
    private readonly profiles: ProfileService,
    private readonly entitlements: EntitlementService,
    private readonly reports: VendorReports,
  ) {}

  /** @throws UserNotFoundError, EntitlementsRequiredError, VendorError */
  async getStatus(krn: string): Promise<FinancialAccountsStatus> {
    const profile = await this.profiles.get(krn);
    await this.entitlements.requireCode(profile, 'FINANCIAL_ACCOUNTS');
    return this.statusOf(profile);
  }

  /** The same for a user who is known to be entitled. @throws VendorError */
  async statusOf(request: ReportRequest): Promise<FinancialAccountsStatus> {
    return financialAccountsStatus(await this.reports.listInstitutions(request));
  }
}
