import { Controller, Get, Query } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/service-defaults';
import { ManagerOnly } from '../admin/manager.decorators';
import { ManagerOperation } from '../openapi/operation.decorators';
import { lastPage, PageQuery } from '../paging/page.dto';
import { InvalidCursorError } from '@tandem/internal-api';
import { AUDIT_EXAMPLE, AuditPage } from './audit.dto';
import { AuditService } from './audit.service';

@ManagerOnly()
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @ManagerOperation({
    id: 'listAuditEntries',
    tag: 'Audit',
    summary: 'List who did what',
    success: { description: 'A page', type: AuditPage, example: lastPage(AUDIT_EXAMPLE) },
    failures: [
      new InvalidCursorError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 200' }]),
    ],
  })
  list(@Query() query: PageQuery) {
    return this.audit.listEntries(query);
  }
}
