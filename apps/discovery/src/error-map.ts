import { JwksUnavailableError, UnauthorizedError } from '@tandem/auth';
import { defineErrors } from '@tandem/http-api';
import { InvalidProtocolsError, LocationNotFoundError } from './location/location.errors';

/** Maps the errors of this app to HTTP statuses. libs/http-api maps the errors that every app has, such as ServiceUnavailableError. */
export const ERRORS = defineErrors([
  [UnauthorizedError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [JwksUnavailableError, 503, { headers: { 'Retry-After': '5' } }],
  [InvalidProtocolsError, 400],
  [LocationNotFoundError, 404],
]);
