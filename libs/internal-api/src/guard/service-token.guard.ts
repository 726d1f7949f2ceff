import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { bearerTokenOf, CallerNotAllowedError, InvalidTokenError, verifyServiceToken } from '@tandem/auth';
import type { FastifyRequest } from 'fastify';
import { mayCall } from './callers';
import { INTERNAL_API_OPTIONS, type InternalApiOptions } from './internal-api.options';

/**
 * Lets in the callers that the table of apps names for the route, by their short-lived service token.
 *
 * @throws InvalidTokenError without a good token
 * @throws CallerNotAllowedError for another caller, and for a route that the table does not have
 */
@Injectable()
export class ServiceTokenGuard implements CanActivate {
  constructor(@Inject(INTERNAL_API_OPTIONS) private readonly options: InternalApiOptions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers, method, routeOptions } = context.switchToHttp().getRequest<FastifyRequest>();
    const token = bearerTokenOf(headers.authorization);
    if (token === null) throw new InvalidTokenError('The service token is missing');
    const { from } = await verifyServiceToken({ ...this.options, token, now: new Date() });
    // Fastify answers HEAD wherever it answers GET.
    const route = `${method === 'HEAD' ? 'GET' : method} ${routeOptions.url ?? ''}`;
    if (!mayCall(from, this.options.audience, route)) throw new CallerNotAllowedError();
    return true;
  }
}
