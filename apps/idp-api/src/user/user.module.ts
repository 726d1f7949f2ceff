import { Module } from '@nestjs/common';
import { EnrollmentModule } from '../enrollment/enrollment.module';
import { ProfileModule } from '../profile/profile.module';
import { UserController } from './user.controller';

@Module({ imports: [EnrollmentModule, ProfileModule], controllers: [UserController] })
export class UserModule {}
