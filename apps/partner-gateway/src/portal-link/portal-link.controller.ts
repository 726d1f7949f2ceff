import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { CurrentAct, MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import type { Act } from '../audit/act';
import { PageQuery } from '../paging/page.dto';
import { PartnerNotFoundError } from '../partner/partner.errors';
import { CreatedPortalLinkDto, CreatePortalLinkBody, PortalLinkPage } from './portal-link.dto';
import { PortalLinkNotFoundError } from './portal-link.errors';
import { PortalLinkService } from './portal-link.service';

@ApiTags('Portal links')
@Controller('admin')
export class PortalLinkController {
  constructor(private readonly links: PortalLinkService) {}

  @Get('partners/:id/portal-links')
  @Endpoint({
    access: MANAGERS,
    summary: 'List the portal links of a partner',
    answer: { description: 'A page', type: PortalLinkPage },
    errors: [PartnerNotFoundError],
  })
  listPortalLinks(@PathId('id') partnerId: string, @Query() query: PageQuery) {
    return this.links.listLinks(partnerId, query);
  }

  @Post('partners/:id/portal-links')
  @Endpoint({
    access: MANAGERS,
    summary: 'Create a link that opens the portal of a partner',
    description: 'The link works once. The person who opens it gets a session of 12 hours, without an account.',
    body: {
      examples: {
        forADay: { name: 'Anna, accounting', environment: 'live' },
        toLookAt: { environment: 'live', readOnly: true },
      },
    },
    answer: { status: 201, description: 'The link, shown only this once', type: CreatedPortalLinkDto },
    errors: [PartnerNotFoundError],
    noStore: true,
  })
  createPortalLink(@PathId('id') partnerId: string, @Body() body: CreatePortalLinkBody, @CurrentAct() act: Act) {
    return this.links.createLink(partnerId, body, act);
  }

  @Delete('portal-links/:id')
  @Endpoint({
    access: MANAGERS,
    summary: 'End a portal link and its session',
    description: 'Takes effect immediately. A repeat changes nothing.',
    answer: { status: 204, description: 'The link and its session have ended' },
    errors: [PortalLinkNotFoundError],
  })
  endPortalLink(@PathId('id') id: string, @CurrentAct() act: Act): Promise<void> {
    return this.links.endLink(id, act);
  }
}
