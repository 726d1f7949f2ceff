import { Controller, Delete, Get, Post } from '@nestjs/common';
import { users } from '../client-authentication/client.access';
import { type ClientUser, CurrentUser, Endpoint } from '@tandem/http-api';
import { UserNotFoundError } from '../profile/profile.errors';
import { MockStatusDto } from './mock.dto';
import { MockService } from './mock.service';

const COMMON = { access: users(), tag: 'Mock', errors: [UserNotFoundError] };

@Controller('idp/array/users/me/mock')
export class MockController {
  constructor(private readonly mocks: MockService) {}

  @Get()
  @Endpoint({ ...COMMON, summary: 'Read the mock flags', answer: { type: MockStatusDto } })
  async getMockStatus(@CurrentUser() { krn }: ClientUser): Promise<MockStatusDto> {
    const { alerts, scans } = await this.mocks.getFlags(krn);
    return { mockAlertsEnabled: alerts, mockScansEnabled: scans };
  }

  @Post('alerts')
  @Endpoint({ ...COMMON, summary: 'Show sample alerts among the user’s own' })
  enableMockAlerts(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { alerts: true });
  }

  @Delete('alerts')
  @Endpoint({ ...COMMON, summary: 'Hide the sample alerts' })
  disableMockAlerts(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { alerts: false });
  }

  @Post('scans')
  @Endpoint({ ...COMMON, summary: 'Show sample scans among the user’s own' })
  enableMockScans(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { scans: true });
  }

  @Delete('scans')
  @Endpoint({ ...COMMON, summary: 'Hide the sample scans' })
  disableMockScans(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { scans: false });
  }
}
