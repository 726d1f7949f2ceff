import { Module } from '@nestjs/common';
import { VendorReports } from './vendor-reports';
import { VendorClient } from './vendor.client';

@Module({ providers: [VendorClient, VendorReports], exports: [VendorClient, VendorReports] })
export class VendorModule {}
