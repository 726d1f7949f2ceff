import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ValidationFailedError } from '@tandem/service-defaults';
import type { Act } from '../admin/act';
import { CurrentAct, ManagerOnly } from '../admin/manager.decorators';
import { PathId } from '../admin/path-id.pipe';
import { ManagerOperation } from '../openapi/operation.decorators';
import { lastPage, PageQuery } from '../paging/page.dto';
import { InvalidCursorError } from '@tandem/internal-api';
import { ChangePartnerBody, CreatePartnerBody, PARTNER_EXAMPLE, PartnerDto, PartnerPage } from './partner.dto';
import { PartnerNotFoundError } from './partner.errors';
import { PartnerService } from './partner.service';

@ManagerOnly()
@Controller('admin/partners')
export class PartnerController {
  constructor(private readonly partners: PartnerService) {}

  @Get()
  @ManagerOperation({
    id: 'listPartners',
    tag: 'Partners',
    summary: 'List the partners',
    success: { description: 'A page', type: PartnerPage, example: lastPage(PARTNER_EXAMPLE) },
    failures: [
      new InvalidCursorError(),
      new ValidationFailedError([{ field: 'limit', message: 'limit must not be greater than 200' }]),
    ],
  })
  list(@Query() query: PageQuery) {
    return this.partners.listPartners(query);
  }

  @Post()
  @ManagerOperation({
    id: 'createPartner',
    tag: 'Partners',
    summary: 'Create a partner',
    body: {
      type: CreatePartnerBody,
      examples: { promotion: { name: 'My shop', kind: 'promotion', contactEmail: 'owner@example.com' } },
    },
    success: { status: 201, description: 'The partner', type: PartnerDto, example: PARTNER_EXAMPLE },
    failures: [new ValidationFailedError([{ field: 'name', message: 'name must be a line of text' }])],
  })
  create(@Body() body: CreatePartnerBody, @CurrentAct() act: Act) {
    return this.partners.createPartner(body, act);
  }

  @Get(':id')
  @ManagerOperation({
    id: 'getPartner',
    tag: 'Partners',
    summary: 'Read a partner',
    success: { description: 'The partner', type: PartnerDto, example: PARTNER_EXAMPLE },
    failures: [new PartnerNotFoundError()],
  })
  get(@PathId('id') id: string) {
    return this.partners.getPartner(id);
  }

  @Patch(':id')
  @ManagerOperation({
    id: 'changePartner',
    tag: 'Partners',
    summary: 'Change a partner',
    description:
      'What is left out stays. Endpoint limits hold from the next postback on; when they cannot be set (503), nothing else changes.',
    body: {
      type: ChangePartnerBody,
      required: false,
      examples: { deactivate: { active: false }, limit: { endpointLimits: { concurrency: 5 } } },
    },
    success: { description: 'The partner', type: PartnerDto, example: PARTNER_EXAMPLE },
    failures: [
      new PartnerNotFoundError(),
      new ValidationFailedError([
        { field: 'revokeWindowDays', message: 'revokeWindowDays must not be greater than 90' },
      ]),
    ],
  })
  change(@PathId('id') id: string, @Body() body: ChangePartnerBody, @CurrentAct() act: Act) {
    return this.partners.changePartner(id, body, act);
  }
}
