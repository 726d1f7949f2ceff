import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { MANAGERS } from '../admin/manager.access';
import { AuditListService } from './audit-list.service';
import { AuditPage, AuditQuery } from './audit.dto';

@ApiTags('Audit')
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditListService) {}

  @Get()
  @Endpoint({
    access: MANAGERS,
    summary: 'List the actions of managers and partners',
    description: 'Newest first: all actions, or those that match the filters.',
    answer: { description: 'A page', type: AuditPage },
  })
  listAuditEntries(@Query() query: AuditQuery) {
    return this.audit.listEntries(query);
  }
}
