import { Controller, Get } from '@nestjs/common';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
import { UserNotFoundError } from '../profile/profile.errors';
import { MonitorOverviewDto } from './monitor.dto';
import { MonitorService } from './monitor.service';

@Controller('idp/array/users/me/monitors')
export class MonitorController {
  constructor(private readonly monitors: MonitorService) {}

  @Get('overview')
  @ClientOperation({
    id: 'getMonitorOverview',
    tag: 'Status',
    summary: 'Read what is monitored, and what could be',
    answer: { type: MonitorOverviewDto },
    asksVendor: true,
    failures: [new UserNotFoundError()],
  })
  getOverview(@CurrentUser() { krn }: ClientUser): Promise<MonitorOverviewDto> {
    return this.monitors.getOverview(krn);
  }
}
