import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ServiceTokenGuard } from '@tandem/internal-api';
import type { Page } from '@tandem/http-api';
import { type AuditEntryView, ListAuditEntries } from './audit.dto';
import { AuditService } from './audit.service';

/** Internal: `npm run support -- audit` reads it. Never on the edge. */
@ApiExcludeController()
@UseGuards(ServiceTokenGuard)
@Controller('internal/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  list(@Query() query: ListAuditEntries): Promise<Page<AuditEntryView>> {
    return this.audit.list(query);
  }
}
