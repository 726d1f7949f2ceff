import { Body, Controller, Get, Param, Patch, Post, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  ChangeVoucherGroup,
  CreateVoucherGroup,
  CurrentCaller,
  ListManagedVoucherGroups,
  type ManagedVoucherGroupList,
  type ManagedVoucherGroupView,
  ServiceTokenGuard,
  type VoucherGroupChange,
  type VoucherGroupList,
} from '@tandem/internal-api';
import { VoucherGroupService } from './voucher-group.service';

/** Internal: partner-gateway has checked who asks and what they may. Never on the edge. */
@ApiTags('voucher groups')
@ApiBearerAuth()
@UseGuards(ServiceTokenGuard)
@Controller('internal')
export class VoucherGroupController {
  constructor(private readonly groups: VoucherGroupService) {}

  @ApiOperation({ summary: 'The groups that a partner can make coupons of' })
  @Get('partners/:partnerId/:environment/voucher-groups')
  listActive(@CurrentCaller() caller: Caller): Promise<VoucherGroupList> {
    return this.groups.listActiveGroups(caller);
  }

  @ApiOperation({ summary: 'All groups of a partner, for its manager' })
  @Get('partners/:partnerId/voucher-groups')
  listManaged(
    @Param('partnerId') partnerId: string,
    @Query() query: ListManagedVoucherGroups,
  ): Promise<ManagedVoucherGroupList> {
    return this.groups.listManagedGroups(partnerId, query);
  }

  @ApiOperation({ summary: 'Creates a group; a repeat with the same id answers with the group that there is' })
  @Post('partners/:partnerId/voucher-groups')
  create(@Param('partnerId') partnerId: string, @Body() body: CreateVoucherGroup): Promise<ManagedVoucherGroupView> {
    return this.groups.createGroup(partnerId, body);
  }

  @ApiOperation({ summary: 'Changes the status or the stock of a group' })
  @Patch('voucher-groups/:groupId')
  change(@Param('groupId') groupId: string, @Body() body: ChangeVoucherGroup): Promise<VoucherGroupChange> {
    return this.groups.changeGroup(groupId, body);
  }
}
