import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { bearerTokenOf, InvalidTokenError, verifyServiceToken } from '@tandem/auth';
import type { FastifyRequest } from 'fastify';
import { INTERNAL_API_OPTIONS, type InternalApiOptions } from './internal-api.options';

/** Lets only the platform's own apps in, by their short-lived service token. @throws InvalidTokenError */
@Injectable()
export class ServiceTokenGuard implements CanActivate {
  constructor(@Inject(INTERNAL_API_OPTIONS) private readonly options: InternalApiOptions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const token = bearerTokenOf(authorization);
    if (token === null) throw new InvalidTokenError('The service token is missing');
    await verifyServiceToken({ ...this.options, token, now: new Date() });
    return true;
  }
}
