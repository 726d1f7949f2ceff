import { Injectable } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import type { EndpointWorker } from './endpoint.worker';
import { ExpiryRepository } from './expiry.repository';
import { lastAttemptInMs } from './retry.rules';

/** Deliveries that are given up by one statement. */
const PART = 500;

/** Ends what a pause would keep waiting without end: deliveries of failing endpoints, and the endpoints themselves. */
@Injectable()
export class ExpiryService {
  private readonly expireAfterMs: number;
  private running = false;

  constructor(
    private readonly repository: ExpiryRepository,
    private readonly config: PostbackDispatcherConfig,
  ) {
    this.expireAfterMs = lastAttemptInMs(config.retryScheduleSeconds) + config.POSTBACK_EXPIRE_AFTER_SECONDS * 1000;
  }

  /** Gives up the deliveries of failing endpoints that could not be tried until their deadline, part by part. */
  async expire(workers: readonly EndpointWorker[]): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      for (const worker of workers) {
        for (let count = PART; count === PART && worker.health.isFailing;) {
          count = await this.repository.expire(worker.endpointId, {
            afterMs: this.expireAfterMs,
            except: worker.queue.unfinishedIds(),
            limit: PART,
          });
          if (count > 0) worker.expired(count);
        }
      }
    } finally {
      this.running = false;
    }
  }

  /** Disables the endpoints of these shards that have not answered well for too long. @returns their ids */
  disableFailing(shards: readonly number[]): Promise<string[]> {
    const { POSTBACK_DISABLE_AFTER, POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS } = this.config;
    return this.repository.disableFailing(shards, POSTBACK_DISABLE_AFTER, POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS);
  }
}
