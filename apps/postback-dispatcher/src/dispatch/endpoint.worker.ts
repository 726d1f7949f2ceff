import { Logger } from '@nestjs/common';
import type { Endpoint } from '../endpoint/endpoint.entity';
import type { AttemptClient } from './attempt.client';
import { logAttempt } from './attempt.log';
import { DeliveryLine } from './delivery-line';
import type { AttemptOutcome, DueDelivery, Lease } from './dispatch.types';
import { DueCursor, DueRepository, LINE_START } from './due.repository';
import type { EndpointHealth } from './endpoint-health';
import type { InFlightBudget } from './in-flight-budget';
import type { LeaseRepository } from './lease.repository';
import type { ResultWriter } from './result.writer';

/** What the workers of one process share. */
export interface WorkerTools {
  readonly replicaId: string;
  readonly lingerMs: number;
  readonly logsSuccess: boolean;
  readonly due: DueRepository;
  readonly leases: LeaseRepository;
  readonly client: AttemptClient;
  readonly writer: ResultWriter;
  readonly budget: InFlightBudget;
  readonly findEndpoint: (id: string) => Promise<Endpoint | null>;
  /** The worker has given its lease back, and ends. */
  readonly ended: (worker: EndpointWorker) => void;
}

const RETRY_MS = 500;
const BUSY_MS = 50;
const READ_MIN = 50;
const READ_MAX = 400;
/** How many rounds of requests a read should last. */
const READ_ROUNDS = 16;
const MAX_TIMER_MS = 3600_000;
/** A hand-over can be lost: its process was killed right after its commit. An endpoint that is never idle looks for such. */
const LOOK_BACK_MS = 10_000;

/**
 * Sends what one endpoint has in its line, for as long as this process owns the endpoint. Everything goes through `pump`,
 * which does whatever can be done now; it is called whenever something changed.
 */
export class EndpointWorker {
  private readonly logger = new Logger('delivery');
  private readonly line = new DeliveryLine();
  private state: 'sending' | 'settling' | 'leaving' = 'sending';
  private inFlight = 0;
  /** Where to read on in the line of the database; null when all that is due was read. */
  private cursor: DueCursor | null = LINE_START;
  /** Whether the database has more than fits here: then new deliveries stand in line there. */
  private behind = false;
  private recheck = false;
  private reading = false;
  private confirmedUntil: number;
  private abandoned = false;
  private idleTimer: NodeJS.Timeout | undefined;
  private laterTimer: NodeJS.Timeout | undefined;
  private restTimer: NodeJS.Timeout | undefined;
  private laterAt = Infinity;
  private quiet: (() => void) | undefined;
  private left: Promise<void> | undefined;
  private lookedBackAt = performance.now();
  private readonly pump = (): void => this.proceed();

  constructor(
    readonly lease: Lease,
    private readonly health: EndpointHealth,
    confirmedUntil: number,
    private readonly tools: WorkerTools,
  ) {
    this.confirmedUntil = confirmedUntil;
  }

  /** The lease holds until then (`performance.now()`): nothing is started later. */
  confirm(until: number): void {
    this.confirmedUntil = until;
    this.pump();
  }

  /** Goes on with what is known, after a pause or at the beginning. */
  resume(): void {
    this.pump();
  }

  /** A delivery whose transaction has just been committed, with the configuration that it read. */
  handOver(delivery: DueDelivery, endpoint: Endpoint, readAt: number): void {
    // Whoever gets the lease next reads it from the line of the database.
    if (this.state === 'leaving') return;
    this.health.adopt(endpoint, readAt);
    if (this.behind) this.recheck = true;
    else this.line.add(delivery);
    if (performance.now() - this.lookedBackAt > LOOK_BACK_MS) return this.wake();
    this.pump();
  }

  /** Something may be due that was not handed over. */
  wake(): void {
    this.lookedBackAt = performance.now();
    if (this.cursor === null) this.cursor = LINE_START;
    else this.recheck = true;
    this.pump();
  }

  /** The configuration was saved. */
  configurationChanged(): void {
    this.health.changed(performance.now());
    this.pump();
  }

  /** Starts nothing more; resolves when nothing is in flight and all results are stored. The lease stays to be released. */
  leave(): Promise<void> {
    this.state = 'leaving';
    this.line.clear();
    this.clearTimers();
    this.left ??= new Promise((resolve) => {
      this.quiet = resolve;
    });
    this.pump();
    return this.left;
  }

  /** What is in flight is not waited for any more: its results are unknown, and it will be sent again. */
  abandon(): void {
    this.abandoned = true;
    this.quiet?.();
  }

  private proceed(): void {
    if (this.state !== 'sending') {
      if (this.state === 'leaving' && this.inFlight === 0 && this.line.unfinished === 0) this.quiet?.();
      return;
    }
    if (!this.maySend()) return;
    const most = this.health.concurrency;
    while (this.inFlight < most && this.line.length > 0 && this.tools.budget.take(this.pump)) {
      this.send(this.line.take() as DueDelivery);
    }
    // Early enough, so that nobody waits for the database while there is something to send.
    if (this.cursor !== null && this.line.length <= this.readSize() / 2) this.read(this.cursor);
    this.armIdle();
  }

  /** Whether a request can be started now; if not, what has to happen first is on its way. */
  private maySend(): boolean {
    const now = performance.now();
    // Both end with a call of `pump`: by the writer when results can be stored again, and by the renewal of the lease.
    if (this.tools.writer.paused || now >= this.confirmedUntil) return false;
    if (this.health.disabledReason !== null) {
      this.holdRest();
      return false;
    }
    const restMs = this.health.blockedUntil - Date.now();
    if (restMs > 0) {
      this.rest(restMs);
      return false;
    }
    if (this.line.length > 0 && !this.health.isCurrent(now)) {
      if (!this.reading) this.run(() => this.refresh());
      return false;
    }
    return true;
  }

  private send(delivery: DueDelivery): void {
    this.inFlight++;
    const { target, configVersion } = this.health;
    this.tools.client.start(target, delivery, (outcome) => {
      this.inFlight--;
      this.tools.budget.giveBack();
      if (!this.abandoned) this.conclude(delivery, outcome, configVersion);
      this.pump();
    });
  }

  private conclude(delivery: DueDelivery, outcome: AttemptOutcome, configVersion: number): void {
    const { verdict, change } = this.health.judge(delivery, outcome, configVersion);
    const result = { delivery, outcome, verdict };
    logAttempt(this.logger, result, change, this.tools.logsSuccess);
    const stored = (): void => {
      this.line.left(delivery.id, delivery.attemptCount + 1);
      // Not before: until it is stored the line shows the delivery as it was.
      if (verdict.status === 'pending') this.lookAgainIn(verdict.nextInMs);
      if (this.line.unfinished === 0) this.pump();
    };
    this.tools.writer.add({ result, change, stored });
  }

  private read(cursor: DueCursor): void {
    if (this.reading) return;
    this.run(async () => {
      // From the beginning of the line, what is in hand here comes first.
      const known = cursor === LINE_START ? this.line.unfinished : 0;
      const limit = this.readSize() + known;
      const refreshed = this.health.isCurrent(performance.now()) ? null : this.refresh();
      const [batch] = await Promise.all([this.tools.due.findDue(this.lease.endpointId, cursor, limit), refreshed]);
      for (const delivery of batch.deliveries) this.line.add(delivery);
      this.behind = batch.next !== null;
      this.cursor = batch.next ?? (this.recheck ? LINE_START : null);
      if (batch.next === null) this.recheck = false;
      if (batch.laterInMs !== null) this.lookAgainIn(batch.laterInMs);
    });
  }

  private readSize(): number {
    return Math.min(READ_MAX, Math.max(READ_MIN, READ_ROUNDS * this.health.concurrency));
  }

  private async refresh(): Promise<void> {
    const readAt = performance.now();
    const settled = this.inFlight === 0 && this.line.unfinished === this.line.length;
    const endpoint = await this.tools.findEndpoint(this.lease.endpointId);
    if (endpoint !== null) this.health.adopt(endpoint, readAt, settled);
  }

  /** Runs one look at the database at a time, and goes on with what it brought. */
  private run(work: () => Promise<void>): void {
    this.reading = true;
    work().then(
      () => this.afterRun(),
      (error: Error) => {
        this.logger.warn({
          msg: 'an endpoint cannot be read',
          endpointId: this.lease.endpointId,
          reason: error.message,
        });
        setTimeout(() => this.afterRun(), RETRY_MS);
      },
    );
  }

  private afterRun(): void {
    this.reading = false;
    if (this.state === 'leaving') this.line.clear();
    this.pump();
  }

  /** A disabled endpoint gets nothing more: what is left in its line is held, once what is in flight is stored. */
  private holdRest(): void {
    this.line.clear();
    if (this.reading || this.inFlight > 0 || this.line.unfinished > 0) return;
    this.run(async () => {
      const held = await this.tools.due.holdPending(this.lease.endpointId);
      await this.refresh();
      if (held) await this.settle();
    });
  }

  /** The endpoint is left alone for a while; a long while is waited for without the lease. */
  private rest(restMs: number): void {
    clearTimeout(this.idleTimer);
    clearTimeout(this.restTimer);
    this.idleTimer = undefined;
    const busy = this.inFlight > 0 || this.line.unfinished > this.line.length || this.reading;
    if (busy || restMs <= this.tools.lingerMs) {
      this.restTimer = setTimeout(this.pump, Math.min(restMs, MAX_TIMER_MS));
      return;
    }
    this.run(async () => {
      await this.tools.leases.release(this.tools.replicaId, [this.lease], restMs);
      this.end();
    });
  }

  private lookAgainIn(ms: number): void {
    const at = performance.now() + ms;
    if (at >= this.laterAt) return;
    clearTimeout(this.laterTimer);
    this.laterAt = at;
    this.laterTimer = setTimeout(
      () => {
        this.laterAt = Infinity;
        this.wake();
      },
      Math.min(Math.ceil(ms) + 1, MAX_TIMER_MS),
    );
  }

  /** With nothing to do for a while, the endpoint is given back. The while is not begun anew by a renewal of the lease. */
  private armIdle(): void {
    const busy = this.inFlight > 0 || this.line.unfinished > 0 || this.cursor !== null || this.reading;
    if (busy || this.laterAt - performance.now() <= this.tools.lingerMs) {
      clearTimeout(this.idleTimer);
      this.idleTimer = undefined;
    } else {
      this.idleTimer ??= setTimeout(() => {
        this.idleTimer = undefined;
        this.run(() => this.settle());
      }, this.tools.lingerMs);
    }
  }

  private async settle(): Promise<void> {
    if (this.state !== 'sending') return;
    this.state = 'settling';
    try {
      const answer = await this.tools.leases.settle(this.tools.replicaId, this.lease, this.tools.lingerMs);
      if (answer === 'released') return this.end();
      if (answer === 'busy') await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
      this.cursor = LINE_START;
    } finally {
      if (this.state === 'settling') this.state = 'sending';
    }
  }

  private end(): void {
    this.state = 'leaving';
    this.line.clear();
    this.clearTimers();
    this.tools.ended(this);
  }

  private clearTimers(): void {
    clearTimeout(this.idleTimer);
    clearTimeout(this.laterTimer);
    clearTimeout(this.restTimer);
  }
}
