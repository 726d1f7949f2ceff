import { Body, Controller, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { Act } from '../audit/act';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import {
  ChangePartnerBody,
  CreatePartnerBody,
  Deactivation,
  PartnerDto,
  PartnerPage,
  PartnersQuery,
  Publication,
} from './partner.dto';
import { PartnerNotFoundError } from './partner.errors';
import { PartnerService } from './partner.service';

@ApiTags('Partners')
@Controller('admin/partners')
export class PartnerController {
  constructor(private readonly partners: PartnerService) {}

  @Get()
  @Endpoint({ access: MANAGERS, summary: 'List the partners', answer: { description: 'A page', type: PartnerPage } })
  listPartners(@Query() query: PartnersQuery) {
    return this.partners.listPartners(query);
  }

  @Post()
  @Endpoint({
    access: MANAGERS,
    summary: 'Create a partner',
    description: 'If the given endpoint limits cannot be set (503), no partner is created.',
    body: {
      examples: {
        promotion: { name: 'My shop', kind: 'promotion', contactEmail: 'owner@example.com' },
        limited: { name: 'My shop', kind: 'promotion', endpointLimits: { concurrency: 5 } },
      },
    },
    answer: { status: 201, description: 'The partner', type: PartnerDto },
  })
  createPartner(@Body() body: CreatePartnerBody, @CurrentAct() act: Act) {
    return this.partners.createPartner(body, act);
  }

  @Post('publish')
  @Endpoint({
    access: MANAGERS,
    summary: 'Publish all partners',
    description:
      'Publishes a `partner.changed` event for each partner, for a team that starts to consume it. Nothing changes: other consumers get values that they already have.',
    answer: { status: 200, description: 'The events were published', type: Publication },
  })
  publishPartners(@CurrentAct() act: Act) {
    return this.partners.publishPartners(act);
  }

  @Get(':id')
  @Endpoint({
    access: MANAGERS,
    summary: 'Read a partner',
    answer: { description: 'The partner', type: PartnerDto },
    errors: [PartnerNotFoundError],
  })
  getPartner(@PathId('id') id: string) {
    return this.partners.getPartner(id);
  }

  @Get(':id/deactivation')
  @Endpoint({
    access: MANAGERS,
    summary: 'Preview a deactivation',
    description: 'Returns what a deactivation would affect now. Nothing is changed.',
    answer: { description: 'What a deactivation would affect', type: Deactivation },
    errors: [PartnerNotFoundError],
  })
  previewDeactivation(@PathId('id', PartnerNotFoundError) id: string) {
    return this.partners.previewDeactivation(id);
  }

  @Patch(':id')
  @Endpoint({
    access: MANAGERS,
    summary: 'Change a partner',
    description:
      'Omitted fields keep their values. Endpoint limits take effect within seconds. If they cannot be set (503), nothing changes.',
    body: { examples: { deactivate: { active: false }, limit: { endpointLimits: { concurrency: 5 } } } },
    answer: { description: 'The partner', type: PartnerDto },
    errors: [PartnerNotFoundError],
  })
  changePartner(@PathId('id') id: string, @Body() body: ChangePartnerBody, @CurrentAct() act: Act) {
    return this.partners.changePartner(id, body, act);
  }
}
