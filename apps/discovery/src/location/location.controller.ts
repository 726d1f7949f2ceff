import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Endpoint, type PreparedAnswer, sendUnlessKnown, userAccess } from '@tandem/http-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CatalogService } from '../catalog/catalog.service';
import { InstanceListView, LocationListView } from '../catalog/catalog.dto';
import { DescribesList, VALIDATORS } from './location-document';
import { InvalidProtocolsError, LocationNotFoundError } from './location.errors';
import { type ProtocolFilter, protocolFilterOf } from '../catalog/protocols.rules';

interface LocationsRequest extends FastifyRequest {
  query: { protocols?: unknown };
}
interface InstancesRequest extends LocationsRequest {
  params: { location_id: string };
}

const LIST = { access: userAccess({ token: 'client' }), validates: false, errors: [InvalidProtocolsError] };

/**
 * The methods read parameters from the raw request. `@Query()` and `@Param()` would run the global pipe for each parameter, although the pipe
 * has nothing to validate here.
 */
@ApiTags('Discovery')
@Controller('ids2/locations')
export class LocationController {
  constructor(private readonly catalog: CatalogService) {}

  @Get()
  @DescribesList()
  @Endpoint({ ...LIST, summary: 'List locations', answer: { type: LocationListView, headers: VALIDATORS } })
  listLocations(@Req() request: LocationsRequest, @Res() reply: FastifyReply): void {
    sendUnlessKnown(this.catalog.current.locations(filterOf(request)), request, reply);
  }

  @Get(':location_id/instances')
  @ApiParam({ name: 'location_id', schema: { type: 'string' }, example: 'us-nyc' })
  @DescribesList()
  @Endpoint({
    ...LIST,
    summary: 'List the instances of a location',
    answer: { type: InstanceListView, headers: VALIDATORS },
    errors: [...LIST.errors, LocationNotFoundError],
  })
  listInstances(@Req() request: InstancesRequest, @Res() reply: FastifyReply): void {
    sendUnlessKnown(this.instancesOf(request), request, reply);
  }

  private instancesOf(request: InstancesRequest): PreparedAnswer {
    const answer = this.catalog.current.instances(request.params.location_id, filterOf(request));
    if (!answer) throw new LocationNotFoundError();
    return answer;
  }
}

function filterOf({ query }: LocationsRequest): ProtocolFilter {
  const filter = protocolFilterOf(query.protocols);
  if (filter === null) throw new InvalidProtocolsError();
  return filter;
}
