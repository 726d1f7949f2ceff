import { Body, Controller, Put, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import {
  EndpointLimits,
  SavedEndpointLimits,
  ServiceTokenGuard,
  InternalOperation,
  PartnerId,
} from '@tandem/internal-api';
import { EndpointLimitService } from './endpoint-limit.service';

/** Internal: partner-gateway has checked that a manager asks, and that there is such a partner. Never on the edge. */
@ApiTags('postback configuration')
@ApiBearerAuth()
@UseGuards(ServiceTokenGuard)
@Controller('internal/partners/:partnerId/endpoint-limits')
export class EndpointLimitController {
  constructor(private readonly service: EndpointLimitService) {}

  @InternalOperation({
    summary: "Sets the limits of a partner's endpoints, also of those to come; may be repeated",
    answers: { 200: SavedEndpointLimits },
    takes: 'body',
  })
  @Put()
  save(@PartnerId() partnerId: string, @Body() body: EndpointLimits): Promise<SavedEndpointLimits> {
    return this.service.saveLimits(partnerId, body.concurrency);
  }
}
