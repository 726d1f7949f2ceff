import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { ProfileModule } from '../profile/profile.module';
import { UserModule } from '../user/user.module';
import { UserStoryModule } from '../user-story/user-story.module';
import { SupportController } from './support.controller';
import { SupportService } from './support.service';

@Module({
  imports: [EnrollmentModule, ProfileModule, UserModule, UserStoryModule],
  controllers: [SupportController],
  providers: [SupportService],
})
export class SupportModule {}
