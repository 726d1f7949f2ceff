import { ErrorOf } from '@tandem/http-api';
import { PROTOCOLS } from '../catalog/protocols.rules';

/** The query has an invalid list of protocols. */
export class InvalidProtocolsError extends ErrorOf(
  'invalid_protocols',
  `protocols must be one comma-separated list of ${PROTOCOLS.join(', ')}`,
) {}

export class LocationNotFoundError extends ErrorOf('location_not_found', 'location not found') {}
