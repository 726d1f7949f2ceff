import { Module } from '@nestjs/common';
import { VendorUsers } from './vendor-users';
import { VendorClient } from './vendor.client';

@Module({ providers: [VendorClient, VendorUsers], exports: [VendorClient, VendorUsers] })
export class VendorModule {}
