import { Controller, Get } from '@nestjs/common';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
import { EntitlementsRequiredError } from '../enrollment/enrollment.errors';
import { UserNotFoundError } from '../profile/profile.errors';
import { ScanDto, ScansProgressDto } from './scan.dto';
import { ScanService } from './scan.service';

const COMMON = {
  tag: 'Scans',
  asksVendor: true,
  failures: [new UserNotFoundError(), new EntitlementsRequiredError()],
};

@Controller('idp/array/users/me/scans')
export class ScanController {
  constructor(private readonly scans: ScanService) {}

  @Get()
  @ClientOperation({ ...COMMON, id: 'listScans', summary: 'List scans of data brokers', answer: { type: [ScanDto] } })
  list(@CurrentUser() { krn }: ClientUser): Promise<ScanDto[]> {
    return this.scans.list(krn);
  }

  @Get('progress')
  @ClientOperation({
    ...COMMON,
    id: 'getScansProgress',
    summary: 'Read how far the removal of records is',
    answer: { type: ScansProgressDto },
  })
  getProgress(@CurrentUser() { krn }: ClientUser): Promise<ScansProgressDto> {
    return this.scans.getProgress(krn);
  }
}
