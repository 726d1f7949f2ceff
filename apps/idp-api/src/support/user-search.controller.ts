import { Body, Controller, Post } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS, FoundUsers, UserSearch } from '@tandem/internal-api';
import { UserSearchService } from './user-search.service';

/** Internal API for idp-support, which authenticates staff and keeps the audit trail. The edge never exposes this API. */
@ApiExcludeController()
@Controller('internal/support/users')
export class UserSearchController {
  constructor(private readonly users: UserSearchService) {}

  @Post('search')
  @Endpoint({
    access: APPS,
    summary: 'Find users by KRN, e-mail address, phone number or subscription',
    answer: { status: 200, type: FoundUsers },
  })
  search(@Body() body: UserSearch): Promise<FoundUsers> {
    return this.users.search(body);
  }
}
