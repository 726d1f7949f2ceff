import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagerOnly } from '../admin/manager.decorators';
import { Operation } from '../openapi/operation.decorators';
import { PageQuery } from '../paging/page.dto';
import { AuditPage } from './audit.dto';
import { AuditService } from './audit.service';

@ApiTags('Audit')
@ManagerOnly()
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Operation({ summary: 'List who did what', answer: { description: 'A page', type: AuditPage } })
  listAuditEntries(@Query() query: PageQuery) {
    return this.audit.listEntries(query);
  }
}
