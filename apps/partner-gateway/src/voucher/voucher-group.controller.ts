import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { ManagerOperation } from '../openapi/operation.decorators';
import { lastPage, PageQuery } from '../paging/page.dto';
import { InvalidCursorError, VoucherGroupNotFoundError } from '@tandem/internal-api';
import { IntegrationKindMismatchError, PartnerNotFoundError } from '../partner/partner.errors';
import { MANAGED_GROUP_EXAMPLE, ManagedVoucherGroupDto, ManagedVoucherGroupPage } from './managed-voucher-group.dto';
import { ChangeVoucherGroupBody, CreateVoucherGroupBody } from './voucher-group.dto';
import { VoucherGroupService } from './voucher-group.service';

@ManagerOnly()
@Controller('admin')
export class VoucherGroupController {
  constructor(private readonly groups: VoucherGroupService) {}

  @Get('partners/:id/voucher-groups')
  @ManagerOperation({
    id: 'listVoucherGroups',
    tag: 'Voucher groups',
    summary: 'List the voucher groups of a partner',
    success: { description: 'A page', type: ManagedVoucherGroupPage, example: lastPage(MANAGED_GROUP_EXAMPLE) },
    failures: [
      new InvalidCursorError(),
      new PartnerNotFoundError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 200' }]),
    ],
  })
  list(@PathId('id') partnerId: string, @Query() query: PageQuery, @CurrentAct() act: Act) {
    return this.groups.listGroups(partnerId, query, act.requestId);
  }

  @Post('partners/:id/voucher-groups')
  @ManagerOperation({
    id: 'createVoucherGroup',
    tag: 'Voucher groups',
    summary: 'Create a voucher group',
    body: {
      type: CreateVoucherGroupBody,
      examples: {
        withStock: {
          name: 'Spring campaign',
          product: { name: 'Advanced, 1 year', tier: 'advanced', periodMonths: 12 },
          currency: 'USD',
          stock: 1000,
        },
      },
    },
    success: { status: 201, description: 'The group', type: ManagedVoucherGroupDto, example: MANAGED_GROUP_EXAMPLE },
    failures: [
      new IntegrationKindMismatchError('voucher'),
      new PartnerNotFoundError(),
      new ValidationFailedError([{ field: 'currency', message: 'currency must be an ISO 4217 code' }]),
    ],
  })
  create(@PathId('id') partnerId: string, @Body() body: CreateVoucherGroupBody, @CurrentAct() act: Act) {
    return this.groups.createGroup(partnerId, body, act);
  }

  @Patch('voucher-groups/:id')
  @ManagerOperation({
    id: 'changeVoucherGroup',
    tag: 'Voucher groups',
    summary: 'Change the status or the stock of a voucher group',
    description: 'What is left out stays.',
    body: {
      type: ChangeVoucherGroupBody,
      required: false,
      examples: { more: { stock: 2000 }, off: { status: 'inactive' } },
    },
    success: { description: 'The group', type: ManagedVoucherGroupDto, example: MANAGED_GROUP_EXAMPLE },
    failures: [
      new VoucherGroupNotFoundError(),
      new ValidationFailedError([{ field: 'stock', message: 'stock must not be less than 0' }]),
    ],
  })
  change(@PathId('id') id: string, @Body() body: ChangeVoucherGroupBody, @CurrentAct() act: Act) {
    return this.groups.changeGroup(id, body, act);
  }
}
