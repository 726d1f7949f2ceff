import { Controller, Get, NotFoundException, Param, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type IdentityUser, type IdentityUserAtVendor, ServiceTokenGuard } from '@tandem/internal-api';
import { isKrn } from '@tandem/service-defaults';
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
  get(@Param('krn') krn: string): Promise<IdentityUser> {
    return this.records.get(requireKrn(krn));
  }

  @Get('vendor')
  getAtVendor(@Param('krn') krn: string): Promise<IdentityUserAtVendor> {
    return this.vendor.get(requireKrn(krn));
  }
}

/** @throws NotFoundException */
function requireKrn(text: string): string {
  if (!isKrn(text)) throw new NotFoundException('There is no such user');
  return text;
}
