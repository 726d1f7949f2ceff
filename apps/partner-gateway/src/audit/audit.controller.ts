import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ManagerOnly } from '../admin/manager.decorators';
import { PageQuery } from '../paging/page.dto';
import { AuditService } from './audit.service';

@ApiTags('admin')
@ManagerOnly()
@Controller('admin/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  list(@Query() query: PageQuery) {
    return this.audit.listEntries(query);
  }
}
