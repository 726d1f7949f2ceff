import { Controller, Get } from '@nestjs/common';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
import { EntitlementsRequiredError } from '../enrollment/enrollment.errors';
import { UserNotFoundError } from '../profile/profile.errors';
import { CreditScoresDto } from './credit-score.dto';
import { CreditScoreService } from './credit-score.service';

@Controller('idp/array/users/me/credit-scores')
export class CreditScoreController {
  constructor(private readonly scores: CreditScoreService) {}

  @Get()
  @ClientOperation({
    id: 'listCreditScores',
    tag: 'Status',
    summary: 'List credit scores',
    answer: { type: CreditScoresDto },
    asksVendor: true,
    failures: [new UserNotFoundError(), new EntitlementsRequiredError()],
  })
  async list(@CurrentUser() { krn }: ClientUser): Promise<CreditScoresDto> {
    return { creditScoreHistory: await this.scores.list(krn) };
  }
}
