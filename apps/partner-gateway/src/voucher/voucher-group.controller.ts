import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { ChangeVoucherGroupBody, CreateVoucherGroupBody } from './voucher-group.dto';
import { VoucherGroupService } from './voucher-group.service';

@ApiTags('admin')
@ManagerOnly()
@Controller('admin')
export class VoucherGroupController {
  constructor(private readonly groups: VoucherGroupService) {}

  @Get('partners/:id/voucher-groups')
  list(@PathId('id') partnerId: string, @Query() query: PageQuery, @CurrentAct() act: Act) {
    return this.groups.listGroups(partnerId, query, act.requestId);
  }

  @Post('partners/:id/voucher-groups')
  create(@PathId('id') partnerId: string, @Body() body: CreateVoucherGroupBody, @CurrentAct() act: Act) {
    return this.groups.createGroup(partnerId, body, act);
  }

  @Patch('voucher-groups/:id')
  change(@PathId('id') id: string, @Body() body: ChangeVoucherGroupBody, @CurrentAct() act: Act) {
    return this.groups.changeGroup(id, body, act);
  }
}
