import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { InvalidTokenError, verifyServiceToken } from '@tandem/auth';
import type { FastifyRequest } from 'fastify';
import { VoucherServiceConfig } from '../config';

/** The name under which other apps call this one. */
export const AUDIENCE = 'voucher-service';

/** Lets only the platform's own apps in, by their short-lived service token. */
@Injectable()
export class ServiceTokenGuard implements CanActivate {
  constructor(private readonly config: VoucherServiceConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    if (token === undefined) throw new InvalidTokenError('The service token is missing');
    const secrets = this.config.internalTokenSecrets;
    verifyServiceToken({ secrets, token, audience: AUDIENCE, now: new Date() });
    return true;
  }
}
