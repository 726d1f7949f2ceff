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
      'Newest first, in pages: all actions, or those that match the filters. Reading the list is itself recorded.',
    answer: { type: AuditPage },
  })
  listAudit(@Query() query: AuditQuery, @CurrentAct() act: Act): Promise<Page<AuditEntryView>> {
    return this.trail.list(act, query);
  }
}
