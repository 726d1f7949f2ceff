import { Controller, Get } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { PageQuery, pageOf } from '../alert/alert.dto';
import { ClientQuery } from '../bad-request/client-input.decorator';
import { InputValidationError } from '../bad-request/input-validation.errors';
import { users } from '../client-authentication/client.access';
import { type ClientUser, CurrentUser, Endpoint } from '@tandem/http-api';
import { UserNotFoundError } from '../profile/profile.errors';
import { DASHBOARD_EXAMPLES } from './dashboard-examples';
import { DashboardService } from './dashboard.service';
import type { SectionResult } from './section';
import { DashboardDto } from './status.dto';

@Controller('idp/array/users/me/dashboard')
export class DashboardController {
  constructor(private readonly dashboards: DashboardService) {}

  @Get()
  @ApiQuery({ type: PageQuery })
  @Endpoint({
    access: users({ secondFactor: true, limit: 'dashboard' }),
    tag: 'Status',
    summary: 'Read all sections of the dashboard',
    description:
      '`count` and `offset` apply to the alerts. A section that fails or takes too long is returned as an `Err`.',
    answer: { type: DashboardDto, examples: DASHBOARD_EXAMPLES },
    errors: [UserNotFoundError, new InputValidationError(['count'])],
  })
  getDashboard(
    @CurrentUser() { krn }: ClientUser,
    @ClientQuery(PageQuery) query: PageQuery,
  ): Promise<Record<string, SectionResult>> {
    return this.dashboards.read(krn, pageOf(query));
  }
}
