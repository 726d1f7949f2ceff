import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { EntitlementModule } from '../entitlement/entitlement.module';
import { ProfileModule } from '../profile/profile.module';
import { UserModule } from '../user/user.module';
import { UserStoryModule } from '../user-story/user-story.module';
import { SupportController } from './support.controller';
import { SupportService } from './support.service';
import { UserSearchController } from './user-search.controller';
import { UserSearchService } from './user-search.service';

@Module({
  imports: [EnrollmentModule, EntitlementModule, ProfileModule, UserModule, UserStoryModule],
  controllers: [UserSearchController, SupportController],
  providers: [SupportService, UserSearchService],
})
export class SupportModule {}
