import { Module } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { PartnerModule } from '../partner/partner.module';
import { GatewayLimitsModule } from '../rate-limit/gateway-limits.module';
import { ApplicantAuthenticator } from './applicant.authenticator';
import { Applicants } from './applicants';
import { ApplicationController } from './application.controller';
import { ApplicationRepository } from './application.repository';
import { ApplicationRetention } from './application-retention';
import { ApplicationReviewController } from './application-review.controller';
import { ApplicationReviewService } from './application-review.service';
import { ApplicationService } from './application.service';

@Module({
  imports: [AdminModule, PartnerModule, GatewayLimitsModule],
  controllers: [ApplicationController, ApplicationReviewController],
  providers: [
    ApplicationService,
    ApplicationReviewService,
    ApplicationRepository,
    ApplicationRetention,
    ApplicantAuthenticator,
    Applicants,
  ],
  exports: [ApplicationRepository],
})
export class ApplicationModule {}
