import { Controller, Get, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { MANAGERS } from '../admin/manager.access';
import { PathId } from '../admin/path-id.pipe';
import { PartnerNotFoundError } from '../partner/partner.errors';
import { SaleStory, SaleStoryQuery } from './sale-story.dto';
import { SaleStoryService } from './sale-story.service';

@ApiTags('Held sales')
@Controller('admin/sales')
export class SaleStoryController {
  constructor(private readonly stories: SaleStoryService) {}

  @Get(':oid/story')
  @Endpoint({
    access: MANAGERS,
    summary: 'Explain what happened to a sale and its postback',
    description:
      'Covers everything from the payment to the answers of the endpoint: what happened, why, and what can be done next. An unknown `oid` gets 200, not 404, because an event about it may have failed.',
    answer: { type: SaleStory },
    errors: [PartnerNotFoundError],
    noStore: true,
  })
  tellSaleStory(
    @PathId('oid') oid: string,
    @Query() { partnerId }: SaleStoryQuery,
    @Req() { id: requestId }: FastifyRequest,
  ): Promise<SaleStory> {
    return this.stories.explain(oid, { expectedPartnerId: partnerId, requestId });
  }
}
