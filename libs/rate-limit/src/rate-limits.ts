import { type BeforeApplicationShutdown, Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Allowance } from './allowance';
import { RateLimitedError } from '@tandem/http-api';
import { countRefused } from './rate-limit.metrics';
import { RateLimitRepository } from './rate-limit.repository';
import { type Quota, quotaOf, rateLimitHeaders, type RateLimitPolicy, type Standing } from './rate-limit.rules';

export const RATE_LIMIT_POLICIES = Symbol('RATE_LIMIT_POLICIES');

/**
 * Maximum number of allowances (one for each caller and policy) in a process's memory. Before one more is added, the oldest is
 * dropped; the next request of its caller reserves new permits.
 */
const MAX_ALLOWANCES = 20_000;
/** How often the rows of idle callers are removed. A caller has at most one small row per policy, so this is not urgent. */
const CLEANUP_MS = 600_000;
/** Maximum delay of the first cleanup. It is short, because a process that restarts often must clean up as well. */
const FIRST_CLEANUP_MS = 10_000;

/**
 * Limits the requests of callers across all replicas. Each replica can make a limit of 200 or more inexact by up to
 * 1 %; smaller limits are exact. The shared count is a sliding window: with fixed windows, a caller could send
 * twice its limit around the end of a window. A refused request does not count.
 */
@Injectable()
export class RateLimits<Policy extends string = string> implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(RateLimits.name);
  private readonly quotas: ReadonlyMap<string, Quota>;
  private readonly allowances = new Map<string, Allowance>();
  private forgetTimer?: NodeJS.Timeout;
  private cleanTimer?: NodeJS.Timeout;
  private cleaning: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly windows: RateLimitRepository,
    @Inject(RATE_LIMIT_POLICIES) policies: Readonly<Record<Policy, RateLimitPolicy>>,
  ) {
    const named = Object.entries<RateLimitPolicy>(policies);
    for (const [name] of named) countRefused(name, 0);
    this.quotas = new Map(named.map(([name, policy]) => [name, quotaOf(name, policy)]));
  }

  onModuleInit(): void {
    this.forgetTimer = setInterval(() => this.forgetIdle(), this.shortestWindowSeconds * 1000).unref();
    this.cleanIn(FIRST_CLEANUP_MS * Math.random());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.forgetTimer);
    clearTimeout(this.cleanTimer);
    await this.cleaning;
  }

  /**
   * Counts a request of a caller, unless the policy's limit is reached.
   *
   * @param caller any text that identifies the caller: a token's id, a user's KRN
   * @throws Error for a policy that was not registered; errors of the database
   */
  take(caller: string, policy: Policy): Standing | Promise<Standing> {
    const key = `${policy} ${caller}`;
    let allowance = this.allowances.get(key);
    if (!allowance) {
      const quota = this.quota(policy);
      const reserve = (waiting: number) => this.windows.reserve(caller, quota, waiting);
      allowance = new Allowance(quota, reserve, () => performance.now());
      this.remember(key, allowance);
    }
    return allowance.take();
  }

  /**
   * Counts a request as {@link take} does, and sets the headers `RateLimit` and `RateLimit-Policy` of the answer,
   * whatever its status will be. The headers report the caller's remaining requests.
   *
   * @throws RateLimitedError when the policy's limit is reached
   */
  async admit(caller: string, policy: Policy, reply: FastifyReply): Promise<void> {
    const standing = await this.take(caller, policy);
    reply.headers(rateLimitHeaders(this.quota(policy), standing));
    this.refuseBeyond(policy, standing);
  }

  /**
   * Counts a request as {@link take} does, under a limit that several callers share. The answer has no `RateLimit` headers,
   * because they would show a caller what the other callers do.
   *
   * @throws RateLimitedError when the policy's limit is reached
   */
  async spend(caller: string, policy: Policy): Promise<void> {
    this.refuseBeyond(policy, await this.take(caller, policy));
  }

  private refuseBeyond(policy: Policy, { allowed, resetSeconds }: Standing): void {
    if (allowed) return;
    countRefused(policy);
    throw new RateLimitedError(policy, resetSeconds, this.quota(policy).caller);
  }

  private quota(policy: string): Quota {
    const quota = this.quotas.get(policy);
    if (!quota) throw new Error(`There is no rate limit ${policy}`);
    return quota;
  }

  private get shortestWindowSeconds(): number {
    return Math.max(1, Math.min(...[...this.quotas.values()].map(({ windowSeconds }) => windowSeconds)));
  }

  private remember(key: string, allowance: Allowance): void {
    if (this.allowances.size >= MAX_ALLOWANCES) {
      this.allowances.delete(this.allowances.keys().next().value as string);
    }
    this.allowances.set(key, allowance);
  }

  private forgetIdle(): void {
    for (const [key, allowance] of this.allowances) if (allowance.idle) this.allowances.delete(key);
  }

  private cleanIn(ms: number): void {
    this.cleanTimer = setTimeout(() => {
      this.cleaning = this.cleanUp().then(() => {
        if (!this.stopped) this.cleanIn(CLEANUP_MS);
      });
    }, ms).unref();
  }

  private async cleanUp(): Promise<void> {
    try {
      await this.windows.deleteIdle([...this.quotas.values()], () => this.stopped);
    } catch (error) {
      this.logger.warn({ msg: 'rows of idle callers could not be removed now', reason: (error as Error).message });
    }
  }
}
