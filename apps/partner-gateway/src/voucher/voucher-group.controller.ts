import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { ChangeVoucherGroup, ManagedVoucherGroupView, VoucherGroupNotFoundError } from '@tandem/internal-api';
import type { Act } from '../audit/act';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import { PageQuery } from '../paging/page.dto';
import { IntegrationKindMismatchError, PartnerNotFoundError } from '../partner/partner.errors';
import { CreateVoucherGroupBody, ManagedVoucherGroupPage } from './voucher-group.dto';
import { VoucherGroupService } from './voucher-group.service';

@ApiTags('Voucher groups')
@Controller('admin')
export class VoucherGroupController {
  constructor(private readonly groups: VoucherGroupService) {}

  @Get('partners/:id/voucher-groups')
  @Endpoint({
    access: MANAGERS,
    summary: 'List the voucher groups of a partner',
    answer: { description: 'A page', type: ManagedVoucherGroupPage },
    errors: [PartnerNotFoundError],
  })
  listVoucherGroups(@PathId('id') partnerId: string, @Query() query: PageQuery, @CurrentAct() act: Act) {
    return this.groups.listGroups(partnerId, query, act.requestId);
  }

  @Post('partners/:id/voucher-groups')
  @Endpoint({
    access: MANAGERS,
    summary: 'Create a voucher group',
    body: {
      examples: {
        withStock: {
          name: 'Spring campaign',
          product: { name: 'Advanced, 1 year', tier: 'advanced', periodMonths: 12 },
          currency: 'USD',
          stock: 1000,
        },
      },
    },
    answer: { status: 201, description: 'The group', type: ManagedVoucherGroupView },
    errors: [new IntegrationKindMismatchError('voucher'), PartnerNotFoundError],
  })
  createVoucherGroup(@PathId('id') partnerId: string, @Body() body: CreateVoucherGroupBody, @CurrentAct() act: Act) {
    return this.groups.createGroup(partnerId, body, act);
  }

  @Patch('voucher-groups/:id')
  @Endpoint({
    access: MANAGERS,
    summary: 'Change the status or the stock of a voucher group',
    description: 'Omitted fields keep their values.',
    body: { examples: { more: { stock: 2000 }, off: { status: 'inactive' } } },
    answer: { description: 'The group', type: ManagedVoucherGroupView },
    errors: [VoucherGroupNotFoundError],
  })
  changeVoucherGroup(
    @PathId('id', VoucherGroupNotFoundError) id: string,
    @Body() body: ChangeVoucherGroup,
    @CurrentAct() act: Act,
  ) {
    return this.groups.changeGroup(id, body, act);
  }
}
