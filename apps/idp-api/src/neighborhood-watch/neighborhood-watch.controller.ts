import { Controller, Get } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { PageQuery, pageOf, UserAlertsDto } from '../alert/alert.dto';
import { ClientQuery } from '../bad-request/client-input.decorators';
import { InputValidationError } from '../bad-request/input-validation.error';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
import { EntitlementsRequiredError } from '../enrollment/enrollment.errors';
import { UserNotFoundError } from '../profile/profile.errors';
import { NeighborhoodWatchStatusDto, WatchesDto } from './neighborhood-watch.dto';
import { NeighborhoodWatchService } from './neighborhood-watch.service';

const COMMON = {
  tag: 'Neighborhood Watch',
  asksVendor: true,
  failures: [new UserNotFoundError(), new EntitlementsRequiredError()],
};

@Controller('idp/array/users/me/nhw')
export class NeighborhoodWatchController {
  constructor(private readonly watches: NeighborhoodWatchService) {}

  @Get('status')
  @ClientOperation({
    ...COMMON,
    id: 'getNeighborhoodWatchStatus',
    summary: 'Read whether there are watches, and how many alerts they had',
    answer: { type: NeighborhoodWatchStatusDto },
  })
  getStatus(@CurrentUser() { krn }: ClientUser): Promise<NeighborhoodWatchStatusDto> {
    return this.watches.getStatus(krn);
  }

  @Get('alerts')
  @ApiQuery({ type: PageQuery })
  @ClientOperation({
    ...COMMON,
    id: 'listNeighborhoodWatchAlerts',
    summary: 'List the alerts of the watches, the newest first',
    secondFactor: true,
    answer: { type: UserAlertsDto },
    failures: [...COMMON.failures, new InputValidationError(['count'])],
  })
  async listAlerts(
    @CurrentUser() { krn }: ClientUser,
    @ClientQuery(PageQuery) query: PageQuery,
  ): Promise<UserAlertsDto> {
    return { userAlerts: await this.watches.listAlerts(krn, pageOf(query)) };
  }

  @Get('watches')
  @ClientOperation({
    ...COMMON,
    id: 'listWatches',
    summary: 'List the watched addresses',
    secondFactor: true,
    answer: { type: WatchesDto },
  })
  async listWatches(@CurrentUser() { krn }: ClientUser): Promise<WatchesDto> {
    return { watches: await this.watches.listWatches(krn) };
  }
}
