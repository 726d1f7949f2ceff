import { Body, Controller, Delete, Get, HttpCode, Patch, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  type ChangedSupportUser,
  type DeletedSupportUser,
  EnrollWithReceipts,
  ServiceTokenGuard,
  SupportChangeBody,
  type SupportEnrollments,
  type SupportUser,
  type UnlockedSupportUser,
} from '@tandem/internal-api';
import { ClientBody } from '../bad-request/client-input.decorators';
import { KrnOfPath } from '../user-record/krn-of-path.decorator';
import { changeOf } from '../user/user.view';
import { SupportService } from './support.service';

/** Internal: for idp-support, which lets staff in and keeps the audit trail. Never on the edge. */
@ApiExcludeController()
@UseGuards(ServiceTokenGuard)
@Controller('internal/support/users/:krn')
export class SupportController {
  constructor(private readonly support: SupportService) {}

  @Get()
  get(@KrnOfPath() krn: string): Promise<SupportUser> {
    return this.support.get(krn);
  }

  @Patch()
  change(
    @KrnOfPath() krn: string,
    @ClientBody(SupportChangeBody) body: SupportChangeBody,
  ): Promise<ChangedSupportUser> {
    return this.support.change(krn, changeOf(body));
  }

  @Delete()
  delete(@KrnOfPath() krn: string): Promise<DeletedSupportUser> {
    return this.support.delete(krn);
  }

  @Post('enroll')
  @HttpCode(200)
  enroll(@KrnOfPath() krn: string, @Body() { receipts }: EnrollWithReceipts): Promise<SupportEnrollments> {
    return this.support.enroll(krn, receipts);
  }

  @Post('unlock')
  @HttpCode(200)
  unlock(@KrnOfPath() krn: string): Promise<UnlockedSupportUser> {
    return this.support.unlock(krn);
  }
}
