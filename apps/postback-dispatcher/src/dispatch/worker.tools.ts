import { Injectable, Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/messaging';
import { PostbackDispatcherConfig } from '../config';
import { EndpointRepository } from '../endpoint/endpoint.repository';
import { EndpointSecrets } from '../endpoint/endpoint.secrets';
import { AttemptClient } from '../attempt/attempt.client';
import { AttemptLog } from './attempt.log';
import { DueRepository } from './due.repository';
import type { DispatchPolicy } from './endpoint-health';
import { InFlightBudget } from './in-flight-budget';
import { ResultWriter } from './result.writer';
import { lastAttemptInMs, remainingScheduleMs } from './retry.rules';

/** How much longer than the time to the next sweep a worker waits for something by itself. */
const HORIZON = 1.5;

/** What the workers of one process share. */
@Injectable()
export class WorkerTools {
  readonly policy: DispatchPolicy;
  readonly budget: InFlightBudget;
  readonly log: AttemptLog;
  /** What becomes due later than this is left to a sweep to find. */
  readonly horizonMs: number;
  /** Of the database, as the workers of all endpoints see it. */
  readonly outage = new OutageLog(new Logger('EndpointWorker'), {
    away: 'endpoints cannot be read: the database is away',
    back: 'endpoints are read again: the database is back',
  });
  /** Whether this process's leases hold at this moment. */
  ownsShards: () => boolean = () => false;

  constructor(
    config: PostbackDispatcherConfig,
    readonly due: DueRepository,
    readonly endpoints: EndpointRepository,
    readonly secrets: EndpointSecrets,
    readonly client: AttemptClient,
    readonly writer: ResultWriter,
  ) {
    const expireAfterMs = config.POSTBACK_EXPIRE_AFTER_SECONDS * 1000;
    this.policy = {
      scheduleSeconds: config.POSTBACK_RETRY_SCHEDULE_SECONDS,
      disableAfter: config.POSTBACK_DISABLE_AFTER,
      expiry: {
        afterMs: lastAttemptInMs(config.POSTBACK_RETRY_SCHEDULE_SECONDS) + expireAfterMs,
        remainingMs: remainingScheduleMs(config.POSTBACK_RETRY_SCHEDULE_SECONDS).map((ms) => ms + expireAfterMs),
      },
      disableAfterSeconds: config.POSTBACK_DISABLE_WITHOUT_SUCCESS_SECONDS,
      breaker: {
        threshold: config.POSTBACK_BREAKER_THRESHOLD,
        pauseMs: config.POSTBACK_BREAKER_PAUSE_MS,
        maxPauseMs: config.POSTBACK_BREAKER_MAX_PAUSE_MS,
      },
      concurrency: config.POSTBACK_ENDPOINT_CONCURRENCY,
    };
    this.budget = new InFlightBudget(config.POSTBACK_IN_FLIGHT_MAX);
    this.log = new AttemptLog(config.POSTBACK_LOG_SUCCESS_SAMPLE);
    this.horizonMs = config.POSTBACK_SWEEP_MS * HORIZON;
  }
}
