import { Body, Controller, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import {
  type Caller,
  ChangeVoucherGroup,
  CreateVoucherGroup,
  CurrentCaller,
  ListManagedVoucherGroups,
  ManagedVoucherGroupList,
  ManagedVoucherGroupView,
  APPS_FOR_PARTNER,
  VoucherGroupChange,
  VoucherGroupList,
  PartnerId,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { VoucherGroupService } from './voucher-group.service';

/** Internal API that partner-gateway calls after it has authenticated and authorized its own caller. The edge never exposes this API. */
@ApiTags('voucher groups')
@Controller('internal')
export class VoucherGroupController {
  constructor(private readonly groups: VoucherGroupService) {}

  @Get('partners/:partnerId/:environment/voucher-groups')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'List the groups from which a partner can create coupons',
    answer: { type: VoucherGroupList },
  })
  listActiveGroups(@CurrentCaller() caller: Caller): Promise<VoucherGroupList> {
    return this.groups.listActiveGroups(caller);
  }

  @Get('partners/:partnerId/voucher-groups')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'List all groups of a partner, for the partner manager',
    answer: { type: ManagedVoucherGroupList },
  })
  listManagedGroups(
    @PartnerId() partnerId: string,
    @Query() query: ListManagedVoucherGroups,
  ): Promise<ManagedVoucherGroupList> {
    return this.groups.listManagedGroups(partnerId, query);
  }

  @Post('partners/:partnerId/voucher-groups')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Create a group; a repeat with the same id returns the existing group',
    answer: { status: 201, type: ManagedVoucherGroupView },
  })
  createGroup(@PartnerId() partnerId: string, @Body() body: CreateVoucherGroup): Promise<ManagedVoucherGroupView> {
    return this.groups.createGroup(partnerId, body);
  }

  @Patch('voucher-groups/:groupId')
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Change the status or the stock of a group',
    answer: { type: VoucherGroupChange },
    errors: [VoucherGroupNotFoundError],
  })
  changeGroup(@Param('groupId') groupId: string, @Body() body: ChangeVoucherGroup): Promise<VoucherGroupChange> {
    return this.groups.changeGroup(groupId, body);
  }
}
