import { Injectable } from '@nestjs/common';
import { callerAddress, networkOf, type RequestAuthenticator } from '@tandem/http-api';
import { RateLimits } from '@tandem/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PartnerGatewayConfig } from '../config';
import type { PolicyName } from '../rate-limit/rate-limit.rules';
import { Applicants } from './applicants';
import { ApplicationsDisabledError } from './application.errors';

/**
 * Admits every caller while applications are enabled, up to an hourly limit for each IP address. All addresses of an IPv6 /64 network count
 * as one address.
 */
@Injectable()
export class ApplicantAuthenticator implements RequestAuthenticator {
  constructor(
    private readonly config: PartnerGatewayConfig,
    private readonly applicants: Applicants,
    private readonly limits: RateLimits<PolicyName>,
  ) {}

  /** @throws ApplicationsDisabledError, RateLimitedError */
  async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!this.config.PARTNER_APPLICATIONS_ENABLED) throw new ApplicationsDisabledError();
    const { headers, socket } = request;
    const proxies = this.config.PARTNER_TRUSTED_PROXIES;
    const address = networkOf(callerAddress(socket.remoteAddress ?? '', headers['x-forwarded-for'], proxies));
    await this.limits.admit(this.applicants.counted(address), 'application', reply);
  }
}
