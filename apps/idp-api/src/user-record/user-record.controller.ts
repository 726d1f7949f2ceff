import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { APPS, type IdentityUser, type IdentityUserAtVendor } from '@tandem/internal-api';
import { KrnOfPath } from './krn-of-path.decorator';
import { UserAtVendorService } from './user-at-vendor.service';
import { UserRecordService } from './user-record.service';

/** Internal: for other apps and the person on call, who may see no personal data. Never on the edge. */
@ApiExcludeController()
@Controller('internal/users/:krn')
export class UserRecordController {
  constructor(
    private readonly records: UserRecordService,
    private readonly vendor: UserAtVendorService,
  ) {}

  @Get()
  @Endpoint({ access: APPS, summary: 'Read the stored state of a user', answer: {} })
  get(@KrnOfPath() krn: string): Promise<IdentityUser> {
    return this.records.get(krn);
  }

  @Get('vendor')
  @Endpoint({ access: APPS, summary: 'Ask the vendor about a user', answer: {} })
  getAtVendor(@KrnOfPath() krn: string): Promise<IdentityUserAtVendor> {
    return this.vendor.get(krn);
  }
}
