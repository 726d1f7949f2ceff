import { Module } from '@nestjs/common';
import { JwtVerifier } from '@tandem/auth';
import { PartnerGatewayConfig } from '../config';
import { ManagerGuard } from './manager.guard';

@Module({
  providers: [
    {
      provide: JwtVerifier,
      useFactory: (config: PartnerGatewayConfig) =>
        new JwtVerifier({
          issuers: [{ family: 'service', issuer: config.JWT_SERVICE_ISSUER, jwksUrl: config.JWT_SERVICE_JWKS_URL }],
          audience: config.JWT_AUDIENCE,
        }),
      inject: [PartnerGatewayConfig],
    },
    ManagerGuard,
  ],
  exports: [ManagerGuard, JwtVerifier],
})
export class AdminModule {}
