import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint, type Page } from '@tandem/http-api';
import type { Act } from '../support-authentication/act';
import { CurrentAct, STAFF, SupportReason } from '../support-authentication/support.access';
import { type AuditEntryView, AuditPage, AuditQuery } from './audit.dto';
import { AuditTrailService } from './audit-trail.service';

@ApiTags('Audit')
@SupportReason()
@Controller('idp/support/audit')
export class AuditController {
  constructor(private readonly trail: AuditTrailService) {}

  @Get()
  @Endpoint({
    access: STAFF,
    summary: 'List the actions of support',
    description:
      'Returns all actions, or those of one person, kind or period, with or without reads, newest first, in pages. Reading the list is recorded too.',
    answer: { type: AuditPage },
  })
  listAudit(@Query() query: AuditQuery, @CurrentAct() act: Act): Promise<Page<AuditEntryView>> {
    return this.trail.list(act, query);
  }
}
