import { Injectable, NotFoundException } from '@nestjs/common';
import { callerAddress, networkOf, type RequestAuthenticator } from '@tandem/http-api';
import { RateLimits } from '@tandem/rate-limit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PartnerGatewayConfig } from '../config';
import type { PolicyName } from '../rate-limit/rate-limit.rules';
import { Applicants } from './applicants';

/** The caller under which the applications of a day are counted. */
const EVERYBODY = 'everybody';

/**
 * Admits every applicant while applications are taken, up to a number from one address in an hour and a number from all addresses in a day.
 * The addresses of one IPv6 /64 network count as one.
 */
@Injectable()
export class ApplicantAuthenticator implements RequestAuthenticator {
  constructor(
    private readonly config: PartnerGatewayConfig,
    private readonly applicants: Applicants,
    private readonly limits: RateLimits<PolicyName>,
  ) {}

  /** @throws NotFoundException while no applications are taken; RateLimitedError */
  async authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (!this.config.PARTNER_APPLICATIONS_ENABLED) throw new NotFoundException();
    const { headers, socket } = request;
    const proxies = this.config.PARTNER_TRUSTED_PROXIES;
    const address = networkOf(callerAddress(socket.remoteAddress ?? '', headers['x-forwarded-for'], proxies));
    await this.limits.admit(this.applicants.counted(address), 'application', reply);
    await this.limits.admit(EVERYBODY, 'application-all', reply);
  }
}
