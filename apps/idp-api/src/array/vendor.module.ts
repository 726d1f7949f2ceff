import { Module } from '@nestjs/common';
import { VendorReports } from './vendor-reports';
import { VendorUsers } from './vendor-users';
import { VendorClient } from './vendor.client';

@Module({
  providers: [VendorClient, VendorUsers, VendorReports],
  exports: [VendorClient, VendorUsers, VendorReports],
})
export class VendorModule {}
