import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { CurrentPartner, partners } from '../token/partner.access';
import type { AuthenticatedPartner } from '../token/token.repository';
import { Account } from './account.dto';

@ApiTags('Account')
@Controller('api/v2/partner/account')
export class AccountController {
  @Get()
  @Endpoint({
    access: partners(),
    summary: 'Read the account and the scopes of the token',
    description: 'For any partner. No scope is needed.',
    answer: { description: 'The account', type: Account },
  })
  getAccount(@CurrentPartner() partner: AuthenticatedPartner): Account {
    const { partnerId: id, name, kind: integrationKind, environment, scopes, revokeWindowDays } = partner;
    return { id, name, integrationKind, environment, scopes, revokeWindowDays };
  }
}
