import { InvalidTokenError } from '@tandem/auth';
import { defineErrors } from '@tandem/service-defaults';
import { PostbackNotConfiguredError } from './endpoint/endpoint.errors';

export const ERRORS = defineErrors([
  [InvalidTokenError, 401, { headers: { 'WWW-Authenticate': 'Bearer' } }],
  [PostbackNotConfiguredError, 404],
]);
