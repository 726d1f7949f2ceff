import { Controller, Get } from '@nestjs/common';
import { PartnerOperation } from '../openapi/operation.decorators';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { Account, ACCOUNT_EXAMPLE } from './account.dto';

@Controller('api/v2/partner/account')
export class AccountController {
  @Get()
  @PartnerOperation({
    id: 'getAccount',
    tag: 'Account',
    summary: 'Read the account and the rights of the token',
    description: 'For any partner, with any scope.',
    success: { description: 'The account', type: Account, example: ACCOUNT_EXAMPLE },
    anyPartner: true,
  })
  @PartnerAccess()
  get(@CurrentPartner() partner: AuthenticatedPartner): Account {
    const { partnerId: id, name, kind: integrationKind, environment, scopes, revokeWindowDays } = partner;
    return { id, name, integrationKind, environment, scopes, revokeWindowDays };
  }
}
