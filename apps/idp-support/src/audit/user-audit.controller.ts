import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint, type Page } from '@tandem/http-api';
import type { Act } from '../support-authentication/act';
import { ABOUT_USER, CurrentAct, SupportParameters, UserId } from '../support-authentication/support.access';
import { type AuditEntryView, AuditPage, AuditPageQuery, Erasures } from './audit.dto';
import { AuditTrailService } from './audit-trail.service';

@ApiTags('Audit')
@SupportParameters()
@Controller('idp/support/users/:user_id')
export class UserAuditController {
  constructor(private readonly trail: AuditTrailService) {}

  @Get('audit')
  @Endpoint({
    access: ABOUT_USER,
    summary: 'List what support did with a user',
    description:
      'Reads and refusals included, newest first, in pages. Leaves an entry itself. Also for an unknown or erased user.',
    answer: { type: AuditPage },
  })
  listUserAudit(
    @UserId() krn: string,
    @Query() query: AuditPageQuery,
    @CurrentAct() act: Act,
  ): Promise<Page<AuditEntryView>> {
    return this.trail.listOfUser(act, krn, query);
  }

  @Get('erasures')
  @Endpoint({
    access: ABOUT_USER,
    summary: 'Give proof that a user was erased',
    description:
      'Each erasure that support requested: when, by whom, why, in which request, and its outcome. Empty when support requested none; what a user deletes itself is not listed.',
    answer: { type: Erasures },
  })
  listErasures(@UserId() krn: string, @CurrentAct() act: Act): Promise<Erasures> {
    return this.trail.listErasures(act, krn);
  }
}
