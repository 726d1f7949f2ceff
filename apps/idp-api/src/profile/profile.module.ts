import { Module } from '@nestjs/common';
import { ProfileCipher } from './profile.cipher';
import { ProfileRepository } from './profile.repository';
import { ProfileService } from './profile.service';

@Module({
  providers: [ProfileService, ProfileRepository, ProfileCipher],
  exports: [ProfileService, ProfileRepository],
})
export class ProfileModule {}
