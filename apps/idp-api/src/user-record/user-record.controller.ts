import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type IdentityUser, type IdentityUserAtVendor, ServiceTokenGuard } from '@tandem/internal-api';
import { KrnOfPath } from './krn-of-path.decorator';
import { UserAtVendorService } from './user-at-vendor.service';
import { UserRecordService } from './user-record.service';

/** Internal: for other apps and the person on call, who may see no personal data. Never on the edge. */
@ApiExcludeController()
@UseGuards(ServiceTokenGuard)
@Controller('internal/users/:krn')
export class UserRecordController {
  constructor(
    private readonly records: UserRecordService,
    private readonly vendor: UserAtVendorService,
  ) {}

  @Get()
  get(@KrnOfPath() krn: string): Promise<IdentityUser> {
    return this.records.get(krn);
  }

  @Get('vendor')
  getAtVendor(@KrnOfPath() krn: string): Promise<IdentityUserAtVendor> {
    return this.vendor.get(krn);
  }
}
