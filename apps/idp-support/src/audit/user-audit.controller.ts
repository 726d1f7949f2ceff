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
    summary: 'List the actions of support on a user',
    description:
      'Newest first, in pages. Includes refused actions, and reads unless `reads` is `false`. Reading the list is itself recorded. The answer is 200 even if the user is unknown or erased.',
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
    summary: 'List the erasures of a user',
    description:
      'Each erasure that support requested: when, by whom, why, in which request, and its outcome. The list is empty if support requested none. Deletions by the user are not listed.',
    answer: { type: Erasures },
  })
  listErasures(@UserId() krn: string, @CurrentAct() act: Act): Promise<Erasures> {
    return this.trail.listErasures(act, krn);
  }
}
