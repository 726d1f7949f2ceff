import { Body, Controller, Get, Param, Patch, Post, Query, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import {
  type Caller,
  ChangeVoucherGroup,
  CreateVoucherGroup,
  CurrentCaller,
  ListManagedVoucherGroups,
  ManagedVoucherGroupList,
  ManagedVoucherGroupView,
  ServiceTokenGuard,
  VoucherGroupChange,
  VoucherGroupList,
  InternalOperation,
  PartnerId,
  VoucherGroupNotFoundError,
} from '@tandem/internal-api';
import { VoucherGroupService } from './voucher-group.service';

/** Internal: partner-gateway has checked who asks and what they may. Never on the edge. */
@ApiTags('voucher groups')
@ApiBearerAuth()
@UseGuards(ServiceTokenGuard)
@Controller('internal')
export class VoucherGroupController {
  constructor(private readonly groups: VoucherGroupService) {}

  @InternalOperation({ summary: 'The groups that a partner can make coupons of', answers: { 200: VoucherGroupList } })
  @Get('partners/:partnerId/:environment/voucher-groups')
  listActive(@CurrentCaller() caller: Caller): Promise<VoucherGroupList> {
    return this.groups.listActiveGroups(caller);
  }

  @InternalOperation({
    summary: 'All groups of a partner, for its manager',
    answers: { 200: ManagedVoucherGroupList },
    takes: 'query',
  })
  @Get('partners/:partnerId/voucher-groups')
  listManaged(
    @PartnerId() partnerId: string,
    @Query() query: ListManagedVoucherGroups,
  ): Promise<ManagedVoucherGroupList> {
    return this.groups.listManagedGroups(partnerId, query);
  }

  @InternalOperation({
    summary: 'Creates a group; a repeat with the same id answers with the group that there is',
    answers: { 201: ManagedVoucherGroupView },
    takes: 'body',
  })
  @Post('partners/:partnerId/voucher-groups')
  create(@PartnerId() partnerId: string, @Body() body: CreateVoucherGroup): Promise<ManagedVoucherGroupView> {
    return this.groups.createGroup(partnerId, body);
  }

  @InternalOperation({
    summary: 'Changes the status or the stock of a group',
    answers: { 200: VoucherGroupChange },
    takes: 'body',
    failures: [new VoucherGroupNotFoundError()],
  })
  @Patch('voucher-groups/:groupId')
  change(@Param('groupId') groupId: string, @Body() body: ChangeVoucherGroup): Promise<VoucherGroupChange> {
    return this.groups.changeGroup(groupId, body);
  }
}
