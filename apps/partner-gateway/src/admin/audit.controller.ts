import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { AuditPage, AuditQuery } from '../audit/audit.dto';
import { AuditService } from '../audit/audit.service';
import { MANAGERS } from './manager.access';

@ApiTags('Audit')
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

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
