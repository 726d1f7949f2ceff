import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { AuditPage } from '../audit/audit.dto';
import { AuditService } from '../audit/audit.service';
import { PageQuery } from '../paging/page.dto';
import { MANAGERS } from './manager.access';

@ApiTags('Audit')
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Endpoint({ access: MANAGERS, summary: 'List who did what', answer: { description: 'A page', type: AuditPage } })
  listAuditEntries(@Query() query: PageQuery) {
    return this.audit.listEntries(query);
  }
}
