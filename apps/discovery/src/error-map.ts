import { JwksUnavailableError, UnauthorizedError } from '@tandem/auth';
import { defineErrors } from '@tandem/http-api';
import { InvalidProtocolsError, LocationNotFoundError } from './location/location.errors';

/** Maps errors to statuses; http-api maps the expected errors that are not listed here. */
export const ERRORS = defineErrors([
  [UnauthorizedError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [JwksUnavailableError, 503, { headers: { 'Retry-After': '5' } }],
  [InvalidProtocolsError, 400],
  [LocationNotFoundError, 404],
]);
