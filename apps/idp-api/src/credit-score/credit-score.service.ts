import { Injectable } from '@nestjs/common';
import { EntitlementService } from '../enrollment/entitlement.service';
import { type ReportRequest, VendorReports } from '../array/vendor-reports';

export interface CreditScore {
  score: string;
  productCode: string;
  /** YYYY-MM-DD */
  scoreDate: string;
}

@Injectable()
export class CreditScoreService {
  constructor(
    private readonly entitlements: EntitlementService,
    private readonly reports: VendorReports,
  ) {}

  /** @throws UserNotFoundError, EntitlementsRequiredError, VendorError */
  async list(krn: string): Promise<CreditScore[]> {
    return this.listOf(await this.entitlements.getGranted(krn, 'CREDIT_SCORE'));
  }

  /** The same for a user who is known to be entitled. @throws VendorError */
  async listOf(request: ReportRequest): Promise<CreditScore[]> {
    const scores = await this.reports.listCreditScores(request);
    return scores.map(({ score, productCode, scoreDate }) => ({ score, productCode, scoreDate }));
  }
}
