import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../openapi/operation.decorators';
import { CurrentPartner, PartnerAccess } from '../token/partner-token.decorators';
import type { AuthenticatedPartner } from '../token/token.repository';
import { Account } from './account.dto';

@ApiTags('Account')
@Controller('api/v2/partner/account')
export class AccountController {
  @Get()
  @Operation({
    summary: 'Read the account and the rights of the token',
    description: 'For any partner, with any scope.',
    answer: { description: 'The account', type: Account },
  })
  @PartnerAccess()
  getAccount(@CurrentPartner() partner: AuthenticatedPartner): Account {
    const { partnerId: id, name, kind: integrationKind, environment, scopes, revokeWindowDays } = partner;
    return { id, name, integrationKind, environment, scopes, revokeWindowDays };
  }
}
