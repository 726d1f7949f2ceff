import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { RateLimits } from '@tandem/rate-limit';
import type { PolicyName } from '../rate-limit/rate-limit.rules';
import { Applicants } from './applicants';
import type { Applied, ApplyBody } from './application.dto';
import { ApplicationRepository } from './application.repository';

/** The key under which the rate limit counts the applications of all callers together. */
const EVERYBODY = 'everybody';

/** Receives applications from companies that want to become partners. */
@Injectable()
export class ApplicationService {
  private readonly logger = new Logger(ApplicationService.name);

  constructor(
    private readonly applications: ApplicationRepository,
    private readonly applicants: Applicants,
    private readonly limits: RateLimits<PolicyName>,
  ) {}

  /**
   * Stores an application, unless an application with the same e-mail address is pending. In both cases the answer contains only an id,
   * so it does not reveal whether an application was already pending.
   *
   * @throws RateLimitedError
   */
  async apply({ companyName, kind, email, ...optional }: ApplyBody): Promise<Applied> {
    // The daily limit counts an application only after its body was validated, so that invalid requests cannot lock out other applicants.
    await this.limits.spend(EVERYBODY, 'application-all');
    const { contactName = null, website = null, message = null } = optional;
    const id = `pap_${randomUUID().replaceAll('-', '')}`;
    const now = new Date();
    const stored = await this.applications.insert({
      id,
      kind,
      companyName,
      website,
      createdAt: now,
      updatedAt: now,
      ...this.applicants.columnsOf(id, { contactName, email, message }),
    });
    this.logger.log({ msg: 'application received', applicationId: stored, isNew: stored === id });
    return { id: stored };
  }
}
