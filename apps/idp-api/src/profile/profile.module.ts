import { Module } from '@nestjs/common';
import { ProfileCipher } from './profile-cipher';
import { ProfileHashes } from './profile-hashes';
import { ProfileRepository } from './profile.repository';
import { ProfileService } from './profile.service';
import { VerificationMetrics } from './verification.metrics';
import { VerificationRepository } from './verification.repository';
import { VerificationRetention } from './verification-retention';

@Module({
  providers: [
    ProfileService,
    ProfileRepository,
    ProfileCipher,
    ProfileHashes,
    VerificationRepository,
    VerificationMetrics,
    VerificationRetention,
  ],
  exports: [ProfileService, ProfileHashes, ProfileRepository, VerificationRepository],
})
export class ProfileModule {}
