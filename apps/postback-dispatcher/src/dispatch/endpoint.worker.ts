import { Logger } from '@nestjs/common';
import { isDatabaseUnavailable, isTimeout, withoutContext } from '@tandem/database';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptOutcome } from '../attempt/attempt.types';
import type { Endpoint } from '../endpoint/endpoint.entity';
import { DeliveryQueue } from './delivery-queue';
import type { DueDelivery } from './dispatch.types';
import { DueCursor, FIRST_DUE } from './due.repository';
import { EndpointHealth } from './endpoint-health';
import type { WorkerTools } from './worker.tools';

const RETRY_MS = 500;
/** A configuration that cannot be used is read again after at most this time, unless a save is announced before. */
const MAX_RETRY_MS = 30_000;
/** A read has room in the queue when no more than this waits in it: early enough, so that nothing waits for the database. */
const REFILL_AT = 100;
const READ_MIN = 50;
const READ_MAX = 400;
/** How many rounds of requests a read should last: Postgres takes longer to plan one than to read some hundred rows. */
const READ_ROUNDS = 48;
const HOLD_PART = 200;
/** After each part the database is left to the others for this many times as long as the part took. */
const HOLD_REST = 2;
/** An endpoint without anything to do is forgotten after this time. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Sends what one endpoint has pending, for as long as this process owns its shard. Everything goes through `proceed`, which does
 * whatever can be done now; it is called whenever something changed.
 */
export class EndpointWorker {
  private readonly logger = new Logger('delivery');
  readonly queue = new DeliveryQueue();
  readonly health: EndpointHealth;
  readonly endpointId: string;
  private inFlight = 0;
  /** Attempts that were ever started. */
  private attempts = 0;
  /** Where to read on in the database; null when all that is due was read. */
  private cursor: DueCursor | null = null;
  /** The database has more than fits here: until it was read, what is handed over stays there too. */
  private behind = false;
  /** Once the end is reached: something may stand before the place up to which was read. */
  private readAgain = false;
  /** The read that is under way began before what waited here was put back: the next one begins at the start. */
  private readFromStart = false;
  private reading = false;
  /** Looks that failed, since the last one that did not. */
  private failures = 0;
  /** Ends the pause after a failed look. */
  private retryNow: () => void = () => undefined;
  private stopping = false;
  private abandoned = false;
  private laterTimer: NodeJS.Timeout | undefined;
  private laterAt = Infinity;
  private pauseTimer: NodeJS.Timeout | undefined;
  private activeAt = performance.now();
  private drained: (() => void) | undefined;
  private draining: Promise<void> | undefined;
  readonly proceed = (): void => this.doWhatCanBeDone();

  /** @param endpoint as it was when the worker was made: only what never changes of it counts */
  constructor(
    readonly endpoint: Endpoint,
    shardEpoch: string,
    private readonly tools: WorkerTools,
  ) {
    this.endpointId = endpoint.id;
    this.health = new EndpointHealth(shardEpoch, endpoint, tools.secrets, tools.policy);
  }

  /**
   * A delivery whose transaction has just been committed, with the configuration that it read.
   * @throws Error when that cannot be decrypted
   */
  handOver(delivery: DueDelivery, endpoint: Endpoint, readAt: number): void {
    // Whoever gets the shard next finds it in the database.
    if (this.stopping) return;
    this.health.adopt(endpoint, readAt);
    if (this.behind || !this.queue.add(delivery)) {
      this.behind = true;
      this.readAgainAtEnd();
    }
    this.proceed();
  }

  /** Something may be due that was not handed over. */
  wake(): void {
    this.readAgainAtEnd();
    this.proceed();
  }

  /** Something becomes due then. What is far away is found by the sweep when it comes near. */
  wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (this.stopping || ms > this.tools.horizonMs || at >= this.laterAt) return;
    clearTimeout(this.laterTimer);
    this.laterAt = at;
    this.laterTimer = setTimeout(
      () => {
        this.laterAt = Infinity;
        this.wake();
      },
      Math.max(0, Math.ceil(ms) + 1),
    );
  }

  /** The configuration was saved. */
  configurationChanged(): void {
    this.health.changed(performance.now());
    this.retryNow();
    this.proceed();
  }

  /** So many of its deliveries were given up: some of them may be in the queue. */
  expired(count: number): void {
    this.health.expired(count);
    this.readAnew();
  }

  /** What waits here may not be pending any more: it is read again. */
  readAnew(): void {
    this.putBack();
    this.proceed();
  }

  /** Goes on with deliveries whose results could not be stored, when that was some minutes ago. */
  retryRefused(): void {
    if (this.queue.forgetRefused(performance.now())) this.wake();
  }

  /** Whether there has been nothing to do for so long that it can be forgotten. */
  get isIdle(): boolean {
    const quiet = this.queue.isEmpty && this.cursor === null && !this.reading && this.laterAt === Infinity;
    return quiet && performance.now() - this.activeAt > IDLE_TIMEOUT_MS;
  }

  /** Whether its last look at the database failed, or is still under way: that is logged there. */
  get isRetrying(): boolean {
    return this.reading || this.failures > 0;
  }

  /** Starts nothing more; resolves when nothing is in flight and all results are stored. */
  drain(): Promise<void> {
    this.stopping = true;
    this.queue.clear();
    clearTimeout(this.laterTimer);
    clearTimeout(this.pauseTimer);
    this.retryNow();
    this.draining ??= new Promise((resolve) => {
      this.drained = resolve;
    });
    this.proceed();
    return this.draining;
  }

  /** What is in flight is not waited for any more: its results are unknown, and it will be sent again. */
  abandon(): void {
    this.abandoned = true;
    this.drained?.();
  }

  private doWhatCanBeDone(): void {
    if (this.stopping) {
      if (this.queue.unfinished === 0) this.drained?.();
      return;
    }
    if (!this.maySend()) return;
    const most = this.health.concurrency;
    while (this.inFlight < most && this.queue.length > 0 && this.tools.budget.take(this.proceed)) {
      this.send(this.queue.take() as DueDelivery);
    }
    if (this.cursor !== null && this.queue.length <= REFILL_AT) this.read(this.cursor);
  }

  /** Whether a request can be started now; if not, what has to happen first is on its way. */
  private maySend(): boolean {
    // Each ends with a call of `proceed`: when results can be stored again, and when the lease was renewed.
    if (this.tools.writer.paused || !this.tools.ownsShards()) return false;
    if (this.queue.tooManyRefused) return false;
    if (this.health.isOutdated) {
      this.look(() => this.refresh());
      return false;
    }
    if (this.health.disabledReason !== null) {
      this.hold();
      return false;
    }
    const pauseMs = this.health.blockedUntil - Date.now();
    if (pauseMs > 0) {
      this.putBack();
      clearTimeout(this.pauseTimer);
      this.pauseTimer = setTimeout(this.proceed, Math.min(pauseMs, this.tools.horizonMs));
      return false;
    }
    if (this.queue.length > 0 && !this.health.isCurrent(performance.now())) {
      this.look(() => this.refresh());
      return false;
    }
    return true;
  }

  private send(delivery: DueDelivery): void {
    this.inFlight++;
    this.attempts++;
    const { target, configVersion } = this.health;
    this.tools.client.start(target, delivery, (outcome) =>
      withoutContext(() => {
        this.inFlight--;
        this.tools.budget.giveBack();
        if (!this.abandoned) this.conclude(delivery, outcome, { configVersion, url: target.target.url });
        this.proceed();
      }),
    );
  }

  private conclude(delivery: DueDelivery, outcome: AttemptOutcome, used: { configVersion: number; url: string }): void {
    this.activeAt = performance.now();
    const endpoint = { url: used.url, class: this.health.isFailing ? 'failing' : 'healthy' } as const;
    const { verdict, change } = this.health.judge(delivery, outcome, used.configVersion);
    const result = { delivery, outcome, verdict };
    this.tools.log.attempted(result, change, endpoint);
    if (change?.disabledReason != null) this.putBack();
    const stored = (accepted: boolean): void => {
      if (accepted) this.queue.left(delivery.id);
      else this.queue.refuse(delivery.id);
      // Not before: until it is stored the database shows the delivery as it was.
      if (accepted && verdict.status === 'pending') this.wakeIn(verdict.nextInMs);
      if (this.queue.unfinished === 0) this.proceed();
    };
    this.tools.writer.add({ result, change, stored });
  }

  private read(cursor: DueCursor): void {
    this.look(async () => {
      if (cursor === FIRST_DUE) this.readAgain = false;
      this.readFromStart = false;
      // From the start, what is in hand here comes first.
      const known = cursor === FIRST_DUE ? this.queue.unfinished + this.queue.length : 0;
      const limit = this.readSize() + known;
      const refreshed = this.health.isCurrent(performance.now()) ? null : this.refresh();
      const reading = this.queue.addFrom(this.tools.due.findDue(this.endpointId, cursor, limit));
      const [batch] = await Promise.all([reading, refreshed]);
      // The queue was emptied while it ran: what it found may be of before, and is read again.
      if (this.readFromStart) this.queue.clear();
      if (!batch.fitted || this.readFromStart) this.cursor = FIRST_DUE;
      else this.cursor = batch.next ?? (this.readAgain ? FIRST_DUE : null);
      this.behind = this.behind ? this.cursor !== null : batch.next !== null || !batch.fitted;
      if (batch.laterInMs !== null) this.wakeIn(batch.laterInMs);
    });
  }

  private readSize(): number {
    return Math.min(READ_MAX, Math.max(READ_MIN, READ_ROUNDS * this.health.concurrency));
  }

  /** A disabled endpoint gets nothing more: what it has pending is held, part by part, once what is in flight is stored. */
  private hold(): void {
    if (this.queue.length > 0) this.putBack();
    const { cursor } = this;
    if (cursor === null || this.queue.unfinished > 0) return;
    this.look(async () => {
      if (cursor === FIRST_DUE) this.readAgain = false;
      const startedAt = performance.now();
      const { disabled, held, next } = await this.tools.due.holdPending(this.endpointId, cursor, HOLD_PART);
      if (disabled) this.cursor = next ?? (this.readAgain ? FIRST_DUE : null);
      if (!disabled || next === null) return this.refresh();
      // Nothing was held when all that is left is locked by somebody else.
      await sleep(held === 0 ? RETRY_MS : HOLD_REST * (performance.now() - startedAt));
    });
  }

  private async refresh(): Promise<void> {
    const readAt = performance.now();
    const { attempts } = this;
    const stored = this.queue.unfinished === 0;
    const endpoint = await this.tools.endpoints.findById(this.endpointId);
    if (endpoint !== null) this.health.adopt(endpoint, readAt, stored && attempts === this.attempts);
  }

  /** Takes one look at the database at a time, and goes on with what it brought. */
  private look(work: () => Promise<void>): void {
    if (this.reading) return;
    this.reading = true;
    this.activeAt = performance.now();
    const done = (): void => {
      this.reading = false;
      if (this.stopping) this.queue.clear();
      this.proceed();
    };
    work().then(
      () => {
        this.failures = 0;
        this.tools.outage.succeeded();
        done();
      },
      (error: Error) => this.retryLater(error, done),
    );
  }

  /** Waits longer each time, but not for a database that is away: it comes back for all. */
  private retryLater(error: Error, retry: () => void): void {
    const away = isDatabaseUnavailable(error) || isTimeout(error);
    if (away) this.tools.outage.failed({ reason: error.message });
    else if (this.failures === 0) {
      this.logger.warn({ msg: 'an endpoint cannot be read', endpointId: this.endpointId, reason: error.message });
    }
    const waitMs = away || this.stopping ? RETRY_MS : Math.min(RETRY_MS * 2 ** this.failures++, MAX_RETRY_MS);
    const timer = setTimeout(() => this.retryNow(), waitMs);
    this.retryNow = () => {
      this.retryNow = () => undefined;
      clearTimeout(timer);
      retry();
    };
  }

  /** What waits here stays in the database, and is read when its time has come. */
  private putBack(): void {
    this.queue.clear();
    this.cursor = FIRST_DUE;
    this.readFromStart = true;
  }

  private readAgainAtEnd(): void {
    this.readAgain = true;
    this.cursor ??= FIRST_DUE;
  }
}
