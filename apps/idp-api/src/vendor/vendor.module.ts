import { Module } from '@nestjs/common';
import { VendorClient } from './vendor.client';

@Module({ providers: [VendorClient], exports: [VendorClient] })
export class VendorModule {}
