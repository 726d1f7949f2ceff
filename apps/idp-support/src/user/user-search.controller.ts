import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { FoundUsers, UserSearch } from '@tandem/internal-api';
import type { Act } from '../support-authentication/act';
import { CurrentAct, STAFF, SupportReason } from '../support-authentication/support.access';
import { UserSearchService } from './user-search.service';

@ApiTags('Users')
@SupportReason()
@Controller('idp/support/users')
export class UserSearchController {
  constructor(private readonly users: UserSearchService) {}

  @Post('search')
  @Endpoint({
    access: STAFF,
    summary: 'Find users by KRN, e-mail address, phone number or subscription',
    description:
      'Send exactly one of the four fields. E-mail addresses and phone numbers are compared by keyed hashes: nothing is decrypted, and neither the audit trail nor a log contains the value.',
    body: { examples: { email: { email: 'jane@example.com' }, subscription: { subscriptionId: 'sub-1001' } } },
    answer: { status: 200, type: FoundUsers },
  })
  searchUsers(@Body() body: UserSearch, @CurrentAct() act: Act): Promise<FoundUsers> {
    return this.users.search(act, body);
  }
}
