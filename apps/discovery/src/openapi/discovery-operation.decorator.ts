import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { UnauthorizedError } from '@tandem/auth';
import { AuthenticatedBy, DocumentFailures, PLAIN_FORMAT } from '@tandem/http-api';
import { ClientAuthenticator } from '../client-access/client.authenticator';
import { ERRORS } from '../error-map';
import { InstanceListView } from '../location/location.dto';
import { InvalidProtocolsError, LocationNotFoundError } from '../location/location.errors';
import { PROTOCOLS } from '../location/protocols.rules';

export interface DiscoveryOperationOptions {
  /** The name of its function in generated clients. */
  readonly id: string;
  readonly summary: string;
  /** The class of its answer. */
  readonly answer: Type;
}

const text = (description: string): { description: string; schema: { type: 'string' } } => ({
  description,
  schema: { type: 'string' },
});

const VALIDATORS: ApiResponseOptions['headers'] = {
  ETag: text('A strong tag of these bytes: the same on every replica'),
  'Cache-Control': text('`private, max-age=600` for locations, 60 for instances'),
  Vary: text('`Authorization, Accept-Encoding`'),
};

const PROTOCOLS_PARAMETER = {
  name: 'protocols',
  required: false,
  explode: false,
  description:
    'A comma list: only endpoints of these protocols, and locations that have one. All when left out; one that is named twice counts once.',
  schema: { type: 'array', items: { type: 'string', enum: [...PROTOCOLS] }, minItems: 1 },
} as const;

/** An operation of the discovery API: for users alone, and with all of its description. */
export function DiscoveryOperation(options: DiscoveryOperationOptions): MethodDecorator {
  const { id, summary, answer } = options;
  const ofLocation = answer === InstanceListView;
  return applyDecorators(
    AuthenticatedBy(ClientAuthenticator),
    ApiBearerAuth('client'),
    ApiOperation({ operationId: id, summary }),
    ...(ofLocation ? [ApiParam({ name: 'location_id', schema: { type: 'string' }, example: 'us-nyc' })] : []),
    ApiQuery(PROTOCOLS_PARAMETER),
    ...conditionalRequest(),
    ApiResponse({ status: 200, description: 'OK', type: answer, headers: VALIDATORS }),
    DocumentFailures({
      failures: [
        new UnauthorizedError(),
        new InvalidProtocolsError(),
        ...(ofLocation ? [new LocationNotFoundError()] : []),
      ],
      path: ofLocation,
      errors: ERRORS,
      format: PLAIN_FORMAT,
    }),
  );
}

const conditionalRequest = (): MethodDecorator[] => [
  ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'Tags of the answers that the client has, or `*`',
    schema: { type: 'string' },
  }),
  ApiResponse({ status: 304, description: 'The client has the current answer', headers: VALIDATORS }),
];
