import { Body, Controller, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Endpoint } from '@tandem/http-api';
import { EndpointLimits, SavedEndpointLimits, APPS_FOR_PARTNER, PartnerId } from '@tandem/internal-api';
import { EndpointLimitService } from './endpoint-limit.service';

/**
 * Internal API for partner-gateway, which has checked that its caller is a partner manager. Either the partner exists, or partner-gateway
 * is about to create it. The edge never exposes this API.
 */
@ApiTags('postback configuration')
@Controller('internal/partners/:partnerId/endpoint-limits')
export class EndpointLimitController {
  constructor(private readonly service: EndpointLimitService) {}

  @Put()
  @Endpoint({
    access: APPS_FOR_PARTNER,
    summary: 'Set the limits of a partner’s current and future endpoints; may be repeated',
    answer: { type: SavedEndpointLimits },
  })
  saveEndpointLimits(@PartnerId() partnerId: string, @Body() body: EndpointLimits): Promise<SavedEndpointLimits> {
    return this.service.saveLimits(partnerId, body.concurrency);
  }
}
