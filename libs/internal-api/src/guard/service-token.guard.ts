import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { InvalidTokenError, verifyServiceToken } from '@tandem/auth';
import type { FastifyRequest } from 'fastify';
import { INTERNAL_API_OPTIONS, type InternalApiOptions } from './internal-api.options';

/** Lets only the platform's own apps in, by their short-lived service token. @throws InvalidTokenError */
@Injectable()
export class ServiceTokenGuard implements CanActivate {
  constructor(@Inject(INTERNAL_API_OPTIONS) private readonly options: InternalApiOptions) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    if (token === undefined) throw new InvalidTokenError('The service token is missing');
    verifyServiceToken({ ...this.options, token, now: new Date() });
    return true;
  }
}
