import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { OutageLog, withoutContext } from '@tandem/batching';
import { IdpApiConfig } from '../config';
import { UserLocks } from '../user-lock/user-locks';
import type { TimeBudget } from '../array/time-budget';
import { VendorError, VendorRoutePausedError } from '../array/vendor.errors';
import { Reconciler } from './reconciler';
import { type Claim, type DueUser, ReconciliationRepository, SupersededError } from './reconciliation.repository';

/** How many users a replica reconciles concurrently. */
const CONCURRENCY = 8;
const POLL_MS = 500;
const BUSY_SECONDS = 1;
/**
 * The time limit of a run is half of `VENDOR_TIMEOUT_MS`. If the runs for a user keep failing, every fourth run has the whole
 * `VENDOR_TIMEOUT_MS`, because the vendor may only be slow.
 */
const PATIENT_EVERY = 4;
/** The longest time for which the breaker of a vendor route stays open. */
const ROUTE_PAUSED_SECONDS = 5;

/**
 * Works through the queue of users to reconcile with the vendor. Replicas share the queue. When a replica is killed, the users that it had
 * taken are due again when their lease ends.
 */
@Injectable()
export class ReconciliationWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('reconciliation');
  private readonly outage = new OutageLog(this.logger, {
    failed: 'reconciliation.queue_unreadable',
    recovered: 'reconciliation.queue_readable',
  });
  private readonly running = new Set<Promise<void>>();
  private polling: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly config: IdpApiConfig,
    private readonly locks: UserLocks,
    private readonly queue: ReconciliationRepository,
    private readonly reconciler: Reconciler,
  ) {}

  onApplicationBootstrap(): void {
    this.reconciler.onPending(() => this.wake());
    this.pollIn(0);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.polling;
    await Promise.all(this.running);
  }

  /** Polls immediately, because a user may have become due. */
  wake(): void {
    withoutContext(() => this.pollIn(0));
  }

  private pollIn(ms: number): void {
    clearTimeout(this.timer);
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.polling = this.polling.then(() => this.poll());
    }, ms);
  }

  private async poll(): Promise<void> {
    try {
      const free = CONCURRENCY - this.running.size;
      for (const due of free > 0 ? await this.queue.takeDue(free) : []) this.start(due);
      this.outage.succeeded();
    } catch (error) {
      this.outage.failed(kindOf(error));
    }
    if (!this.timer) this.pollIn(POLL_MS);
  }

  private start(due: DueUser): void {
    const run: Promise<void> = this.run(due).finally(() => {
      this.running.delete(run);
      if (this.running.size === CONCURRENCY - 1) this.pollIn(0);
    });
    this.running.add(run);
  }

  private async run({ krn, failures }: DueUser): Promise<void> {
    const isPatient = failures % PATIENT_EVERY === PATIENT_EVERY - 1;
    try {
      const ran = await this.locks.tryRun(krn, this.config.VENDOR_TIMEOUT_MS / (isPatient ? 1 : 2), (budget) =>
        this.reconcile(krn, budget),
      );
      if (!ran) await this.queue.delay(krn, BUSY_SECONDS);
    } catch (error) {
      // Nothing is postponed here: the user is due again when the lease ends.
      this.logger.warn({ msg: 'reconciliation.failed', krn, ...kindOf(error) });
    }
  }

  private async reconcile(krn: string, budget: TimeBudget): Promise<void> {
    const claim = await this.queue.claim(krn);
    if (!claim) return;
    try {
      await this.reconciler.reconcile(claim, budget);
    } catch (error) {
      if (error instanceof SupersededError) return;
      this.logger.warn({ msg: 'reconciliation.failed', krn, reason: reasonOf(error), ...kindOf(error) });
      await this.postpone(claim, error);
    }
  }

  /**
   * Postpones a user after a failure. The pause starts at about 1 s and doubles with each failure, up to a maximum. If the run failed
   * because the breaker of a vendor route refused a call, the pause is about 5 s, and the failure is not counted.
   */
  private postpone(claim: Claim, error: unknown): Promise<void> {
    const jitter = 0.8 + Math.random() * 0.2;
    if (error instanceof VendorRoutePausedError) {
      return this.queue.postpone(claim, ROUTE_PAUSED_SECONDS * jitter, null);
    }
    const seconds = Math.min(this.config.RECONCILIATION_MAX_PAUSE_SECONDS, 2 ** claim.failures) * jitter;
    return this.queue.postpone(claim, seconds, reasonOf(error));
  }
}

/**
 * Returns the class of the error, and its SQL state or Node's code, but not its message, which may contain data of the user. Returns
 * nothing about a VendorError, which `reasonOf` describes.
 */
function kindOf(error: unknown): { error?: string; code?: string } {
  if (error instanceof VendorError || !(error instanceof Error)) return {};
  const { code } = error as { code?: unknown };
  return { error: error.constructor.name, ...(typeof code === 'string' && { code }) };
}

/**
 * Returns a reason that may be stored and logged. This app composes the message of a VendorError; any other message may contain data of the
 * user.
 */
const reasonOf = (error: unknown): string => (error instanceof VendorError ? error.message : 'an internal error');
