import { Controller, Delete, Get, Post } from '@nestjs/common';
import { ClientOperation } from '../client-authentication/client-operation.decorator';
import type { ClientUser } from '../client-authentication/client-user.rules';
import { CurrentUser } from '../client-authentication/current-user.decorator';
import { UserNotFoundError } from '../profile/profile.errors';
import { MockStatusDto } from './mock.dto';
import { MockService } from './mock.service';

const COMMON = { tag: 'Mock', failures: [new UserNotFoundError()] };

@Controller('idp/array/users/me/mock')
export class MockController {
  constructor(private readonly mocks: MockService) {}

  @Get()
  @ClientOperation({ ...COMMON, id: 'getMockStatus', summary: 'Read the mock flags', answer: { type: MockStatusDto } })
  async getStatus(@CurrentUser() { krn }: ClientUser): Promise<MockStatusDto> {
    const { alerts, scans } = await this.mocks.getFlags(krn);
    return { mockAlertsEnabled: alerts, mockScansEnabled: scans };
  }

  @Post('alerts')
  @ClientOperation({ ...COMMON, id: 'enableMockAlerts', summary: 'Show sample alerts among the user’s own' })
  enableAlerts(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { alerts: true });
  }

  @Delete('alerts')
  @ClientOperation({ ...COMMON, id: 'disableMockAlerts', summary: 'Show no sample alerts' })
  disableAlerts(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { alerts: false });
  }

  @Post('scans')
  @ClientOperation({ ...COMMON, id: 'enableMockScans', summary: 'Show sample scans among the user’s own' })
  enableScans(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { scans: true });
  }

  @Delete('scans')
  @ClientOperation({ ...COMMON, id: 'disableMockScans', summary: 'Show no sample scans' })
  disableScans(@CurrentUser() { krn }: ClientUser): Promise<void> {
    return this.mocks.setFlags(krn, { scans: false });
  }
}
