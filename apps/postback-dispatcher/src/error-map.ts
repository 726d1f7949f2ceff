import { InvalidTokenError } from '@tandem/auth';
import { defineErrors } from '@tandem/service-defaults';
import { DeliveryNotFoundError, InvalidCursorError, PostbackDisabledError } from './delivery-log/delivery-log.errors';
import { PostbackNotConfiguredError } from './endpoint/endpoint.errors';

export const ERRORS = defineErrors([
  [InvalidCursorError, 400],
  [InvalidTokenError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [PostbackNotConfiguredError, 404],
  [DeliveryNotFoundError, 404],
  [PostbackDisabledError, 409],
]);
