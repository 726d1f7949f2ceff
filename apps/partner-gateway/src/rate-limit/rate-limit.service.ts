import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { PartnerGatewayConfig } from '../config';
import { Allowance } from './allowance';
import { RateLimitRepository } from './rate-limit.repository';
import { type Quota, quotaOf, type RateLimitPolicy, type Standing } from './rate-limit.rules';

/** More tokens than this at once are not remembered by a process: the one longest known is asked about anew. */
const MAX_ALLOWANCES = 20_000;
/** Rows of idle tokens are few (at most four a token) and small: nobody hurries to remove them. */
const CLEANUP_MS = 600_000;

/**
 * The limits of tokens, shared by all replicas within one percent for each of them. The shared count is a sliding window, not
 * a fixed one: at the edge of two fixed windows a token could make twice its limit of requests.
 */
@Injectable()
export class RateLimitService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(RateLimitService.name);
  private readonly quotas: Readonly<Record<RateLimitPolicy, Quota>>;
  private readonly allowances = new Map<string, Allowance>();
  private readonly timers: NodeJS.Timeout[] = [];
  private cleaning: Promise<void> = Promise.resolve();

  constructor(
    private readonly windows: RateLimitRepository,
    private readonly config: PartnerGatewayConfig,
  ) {
    const seconds = config.RATE_LIMIT_WINDOW_SECONDS;
    this.quotas = {
      checkout: quotaOf('checkout', config.RATE_LIMIT_CHECKOUT_PER_MINUTE, seconds),
      read: quotaOf('read', config.RATE_LIMIT_READ_PER_MINUTE, seconds),
      write: quotaOf('write', config.RATE_LIMIT_WRITE_PER_MINUTE, seconds),
      'voucher-create': quotaOf('voucher-create', config.RATE_LIMIT_VOUCHER_CREATE_PER_MINUTE, seconds),
    };
  }

  onModuleInit(): void {
    this.every(this.config.RATE_LIMIT_WINDOW_SECONDS * 1000, () => this.forgetIdle());
    this.every(CLEANUP_MS, () => {
      this.cleaning = this.cleanUp();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await this.cleaning;
  }

  quota(policy: RateLimitPolicy): Quota {
    return this.quotas[policy];
  }

  /** Counts a request of a token, unless the policy has no room for it. */
  take(tokenId: string, policy: RateLimitPolicy): Standing | Promise<Standing> {
    const key = `${policy} ${tokenId}`;
    let allowance = this.allowances.get(key);
    if (!allowance) {
      const quota = this.quotas[policy];
      const reserve = (waiting: number) => this.windows.reserve(tokenId, quota, waiting);
      allowance = new Allowance(quota, reserve, () => performance.now());
      this.remember(key, allowance);
    }
    return allowance.take();
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

  private async cleanUp(): Promise<void> {
    try {
      await this.windows.deleteIdle(this.config.RATE_LIMIT_WINDOW_SECONDS);
    } catch (error) {
      this.logger.warn(`Rows of idle tokens could not be removed now: ${(error as Error).message}`);
    }
  }

  private every(ms: number, work: () => void): void {
    this.timers.push(setInterval(work, ms).unref());
  }
}
