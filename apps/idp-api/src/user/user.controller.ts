import { Controller, Get } from '@nestjs/common';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
import { UserNotFoundError } from '../profile/profile.errors';
import { ProfileService } from '../profile/profile.service';
import { ProfileStatus } from './user.dto';
import { profileStatus } from './user.view';

@Controller('idp/array/users')
export class UserController {
  constructor(private readonly profiles: ProfileService) {}

  @Get('me')
  @ClientOperation({
    id: 'getProfile',
    tag: 'User',
    summary: 'Read the profile and its verification',
    answer: { type: ProfileStatus },
    failures: [new UserNotFoundError()],
  })
  async getProfile(@CurrentUser() { krn }: ClientUser): Promise<ProfileStatus> {
    return profileStatus(await this.profiles.getOverview(krn));
  }
}
