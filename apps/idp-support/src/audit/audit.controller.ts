import { Controller, Get, Query } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { APPS } from '@tandem/internal-api';
import { Endpoint, type Page } from '@tandem/http-api';
import { type AuditEntryView, ListAuditEntries } from './audit.dto';
import { AuditService } from './audit.service';

/** Internal API for `npm run support -- audit`. The edge never exposes it. */
@ApiExcludeController()
@Controller('internal/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Endpoint({ access: APPS, summary: 'List the audit trail', answer: {} })
  list(@Query() query: ListAuditEntries): Promise<Page<AuditEntryView>> {
    return this.audit.list(query);
  }
}
