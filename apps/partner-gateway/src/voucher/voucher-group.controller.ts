import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { CreateVoucherGroupBody } from './voucher-group.dto';
import { VoucherGroupService } from './voucher-group.service';

@ApiTags('admin')
@ManagerOnly()
@Controller('admin/partners/:id/voucher-groups')
export class VoucherGroupController {
  constructor(private readonly groups: VoucherGroupService) {}

  @Get()
  list(@PathId('id') partnerId: string, @Query() query: PageQuery, @CurrentAct() act: Act) {
    return this.groups.listGroups(partnerId, query, act.requestId);
  }

  @Post()
  create(@PathId('id') partnerId: string, @Body() body: CreateVoucherGroupBody, @CurrentAct() act: Act) {
    return this.groups.createGroup(partnerId, body, act);
  }
}
