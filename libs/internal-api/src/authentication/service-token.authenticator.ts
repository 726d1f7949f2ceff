import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { bearerTokenOf, CallerNotAllowedError, InvalidTokenError, verifyServiceToken } from '@tandem/auth';
import type { Access, RequestAuthenticator } from '@tandem/http-api';
import type { FastifyRequest } from 'fastify';
import { mayCall } from '../config/callers';
import { INTERNAL_API_OPTIONS, type InternalApiOptions } from './internal-api-options';

/** Admits the callers that the table of apps (apps/apps.js) lists for the route. They authenticate with short-lived service tokens. */
@Injectable()
export class ServiceTokenAuthenticator implements RequestAuthenticator {
  constructor(@Inject(INTERNAL_API_OPTIONS) private readonly options: InternalApiOptions) {}

  /**
   * @throws InvalidTokenError without a valid token
   * @throws CallerNotAllowedError when the table does not list the caller for the route
   */
  async authenticate({ headers, method, routeOptions }: FastifyRequest): Promise<void> {
    const token = bearerTokenOf(headers.authorization);
    if (token === null) throw new InvalidTokenError('The service token is missing');
    const { app, publicKeys, secrets } = this.options;
    const { from } = await verifyServiceToken({ audience: app.name, publicKeys, secrets, token, now: new Date() });
    // Fastify answers HEAD on every route that answers GET.
    const route = `${method === 'HEAD' ? 'GET' : method} ${routeOptions.url ?? ''}`;
    if (!mayCall(from, app, route)) throw new CallerNotAllowedError();
  }
}

/** Admits the callers that apps/apps.js lists: other apps, and the operator's commands. The edge never serves a route with this access. */
export const APPS: Access = {
  by: ServiceTokenAuthenticator,
  token: 'bearer',
  errors: [new InvalidTokenError('The service token is missing'), CallerNotAllowedError],
};

/** Admits other apps, which call on behalf of the partner and the environment in the path. */
export const APPS_FOR_PARTNER: Access = {
  ...APPS,
  errors: [...APPS.errors, new NotFoundException('There is no such partner or environment')],
};
