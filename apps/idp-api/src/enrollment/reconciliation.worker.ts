import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { withoutContext } from '@tandem/batching';
import { IdpApiConfig } from '../config';
import { UserLocks } from '../user-lock/user-locks';
import { VendorError, VendorRoutePausedError } from '../vendor/vendor.errors';
import { type Reconciliation, ReconciliationRepository } from './reconciliation.repository';
import { ReconciliationService } from './reconciliation.service';

/** Users at once: one whom the vendor makes wait keeps no other one waiting. */
const CONCURRENCY = 8;
const POLL_MS = 500;
const BUSY_SECONDS = 1;
/** As long as a route of the vendor is left alone at most. */
const ROUTE_PAUSED_SECONDS = 5;

/** Works off the queue of users to bring in line with the vendor. Replicas share it; what a killed one had comes again. */
@Injectable()
export class ReconciliationWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('reconciliation');
  private readonly running = new Set<Promise<void>>();
  private polling: Promise<void> = Promise.resolve();
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly config: IdpApiConfig,
    private readonly locks: UserLocks,
    private readonly queue: ReconciliationRepository,
    private readonly reconciliations: ReconciliationService,
  ) {}

  onApplicationBootstrap(): void {
    this.pollIn(0);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.polling;
    await Promise.all(this.running);
  }

  /** Says that somebody is due, after the commit. */
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
      const leaseSeconds = this.config.VENDOR_TIMEOUT_MS / 1000 + 5;
      for (const due of free > 0 ? await this.queue.claim(free, leaseSeconds) : []) this.start(due);
    } catch (error) {
      this.logger.warn({ msg: 'the queue could not be read', reason: (error as Error).message });
    }
    if (!this.timer) this.pollIn(POLL_MS);
  }

  private start(due: Reconciliation): void {
    const run: Promise<void> = this.run(due).finally(() => {
      this.running.delete(run);
      if (this.running.size === CONCURRENCY - 1) this.pollIn(0);
    });
    this.running.add(run);
  }

  private async run(due: Reconciliation): Promise<void> {
    try {
      const ran = await this.locks.tryRun(due.krn, (budget) => this.reconciliations.reconcile(due, budget));
      if (!ran) await this.queue.postpone(due, BUSY_SECONDS, null);
    } catch (error) {
      this.logger.warn({ msg: 'reconciliation.failed', krn: due.krn, reason: reasonOf(error), ...kindOf(error) });
      // When the database is away the lease brings the user back.
      await this.postpone(due, error).catch(() => undefined);
    }
  }

  /** The pause after a failure doubles from 1 s; a route that is left alone was not even asked, which is no failure of the user's. */
  private postpone(due: Reconciliation, error: unknown): Promise<void> {
    const jitter = 0.8 + Math.random() * 0.2;
    if (error instanceof VendorRoutePausedError) {
      return this.queue.postpone(due, ROUTE_PAUSED_SECONDS * jitter, null);
    }
    const seconds = Math.min(this.config.RECONCILIATION_MAX_PAUSE_SECONDS, 2 ** due.failures) * jitter;
    return this.queue.postpone(due, seconds, reasonOf(error));
  }
}

/** Of an error of ours its class, and the SQL state or Node's code: its message may have data of the user in it. */
function kindOf(error: unknown): { error?: string; code?: string } {
  if (error instanceof VendorError || !(error instanceof Error)) return {};
  const { code } = error as { code?: unknown };
  return { error: error.constructor.name, ...(typeof code === 'string' && { code }) };
}

/** What may be stored and logged: a failure of the vendor says what it was in words of ours; any other text may have data of the user in it. */
const reasonOf = (error: unknown): string => (error instanceof VendorError ? error.message : 'an internal error');
