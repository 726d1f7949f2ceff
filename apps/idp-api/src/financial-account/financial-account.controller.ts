import { Controller, Get } from '@nestjs/common';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
import { EntitlementsRequiredError } from '../enrollment/enrollment.errors';
import { UserNotFoundError } from '../profile/profile.errors';
import { FinancialAccountsStatusDto } from './financial-account.dto';
import { FinancialAccountService } from './financial-account.service';

@Controller('idp/array/users/me/financial-accounts')
export class FinancialAccountController {
  constructor(private readonly accounts: FinancialAccountService) {}

  @Get('status')
  @ClientOperation({
    id: 'getFinancialAccountsStatus',
    tag: 'Status',
    summary: 'Read how many financial accounts are linked',
    answer: { type: FinancialAccountsStatusDto },
    asksVendor: true,
    failures: [new UserNotFoundError(), new EntitlementsRequiredError()],
  })
  getStatus(@CurrentUser() { krn }: ClientUser): Promise<FinancialAccountsStatusDto> {
    return this.accounts.getStatus(krn);
  }
}
