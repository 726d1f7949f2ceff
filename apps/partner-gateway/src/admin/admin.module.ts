import { Module } from '@nestjs/common';
import { JwtVerifier } from '@tandem/auth';
import { PartnerGatewayConfig } from '../config';
import { Pages } from '../paging/pages';
import { ManagerGuard } from './manager.guard';

@Module({
  providers: [
    {
      provide: JwtVerifier,
      useFactory: (config: PartnerGatewayConfig) =>
        new JwtVerifier({ issuers: config.jwtIssuers, audience: config.JWT_AUDIENCE }),
      inject: [PartnerGatewayConfig],
    },
    ManagerGuard,
    Pages,
  ],
  exports: [ManagerGuard, JwtVerifier, Pages],
})
export class AdminModule {}
