import { Logger } from '@nestjs/common';
import type { AttemptOutcome } from '../attempt/attempt-types';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import type { KnownEndpoint } from '../endpoint-store/endpoint.repository';
import type { Configurations, ConfigurationUser } from './configurations';
import type { DeliveryQueue } from './delivery-queue';
import type { DueDelivery } from './dispatch-types';
import type { DueRepository, PendingEndpoint } from './due.repository';
import type { DueReads } from './due-reads';
import { EndpointBacklog } from './endpoint-backlog';
import type { EndpointHealth } from './endpoint-health';
import type { Sender } from './sender';
import { WakeTimer } from './wake-timer';

/** A read starts when the queue has at most this many deliveries. This is early enough that sending need not wait for the database. */
const REFILL_AT = 100;
/** A worker that has been idle for this long is removed from memory. */
const IDLE_TIMEOUT_MS = 60_000;

/** The objects and settings that all workers of a process share. */
export interface WorkerParts {
  readonly sender: Sender;
  readonly reads: DueReads;
  readonly due: DueRepository;
  readonly configurations: Configurations;
  /** A worker sets no timer for deliveries that become due later than this, in ms from now. A sweep finds these deliveries. */
  readonly horizonMs: number;
}

/**
 * Sends the pending deliveries of one endpoint while this process owns the endpoint's shard. `proceed`, which is called after every change,
 * starts all requests and reads that are possible then.
 */
export class EndpointWorker implements ConfigurationUser {
  private readonly logger = new Logger('delivery');
  private readonly backlog: EndpointBacklog;
  private inFlight = 0;
  /** Functions that conclude attempts that were answered with 410. Called when the configuration has been read after the answer. */
  private unconfirmed: (() => void)[] = [];
  /** The id of the endpoint's first pending delivery in the last sweep. */
  private firstFound: string | undefined;
  private readonly timer: WakeTimer;
  private activeAt = performance.now();
  private draining: { readonly ended: Promise<void>; readonly end: () => void } | undefined;
  private expiring = false;
  private abandoned = false;

  /** @param endpoint a row of the endpoint; the worker uses only the fields that never change, and `health` has the others */
  constructor(
    readonly endpoint: Endpoint,
    readonly health: EndpointHealth,
    readonly queue: DeliveryQueue,
    private readonly parts: WorkerParts,
  ) {
    this.backlog = new EndpointBacklog(endpoint, queue, parts.due, parts.reads, () => this.proceed());
    this.timer = new WakeTimer(parts.horizonMs, () => this.wake());
  }

  readonly proceed = (): void => {
    if (this.draining !== undefined) return this.endWhenDrained();
    if (!this.maySend()) return;
    const most = this.health.concurrency;
    while (this.inFlight < most && this.queue.length > 0 && this.reserve()) this.sendNext();
    if (this.queue.length <= REFILL_AT) this.backlog.read(most);
  };

  private reserve(): boolean {
    return this.parts.sender.reserve(this.proceed, this.inFlight === 0 && !this.backlog.isBehind);
  }

  /**
   * Returns whether requests may be started; the caller checks the limits of requests in flight. If not, starts the step that must come
   * first: reading the configuration, holding the deliveries, or waiting for the end of the pause. At its end, the step calls `proceed`.
   */
  private maySend(): boolean {
    if (this.expiring || !this.parts.sender.isReady || this.queue.isStuck(this.inFlight)) return false;
    if (!this.health.isUsable) {
      if (this.queue.length > 0) this.backlog.putBack();
      return false;
    }
    if (!this.health.isCurrent(performance.now())) {
      this.parts.configurations.request([this]);
      return false;
    }
    const pauseMs = this.health.blockedUntil - Date.now();
    if (this.health.disabledReason === null && pauseMs <= 0) return true;
    if (this.queue.length > 0) this.backlog.putBack();
    if (this.health.disabledReason !== null) {
      // Unstored results are stored first, because a held delivery accepts no result.
      if (this.queue.unfinished === 0) this.backlog.hold(() => this.health.notDisabled(performance.now()));
      return false;
    }
    this.timer.wakeIn(pauseMs);
    return false;
  }

  private sendNext(): void {
    const delivery = this.queue.take() as DueDelivery;
    const { target, configVersion } = this.health;
    this.inFlight++;
    this.parts.sender.attempt(target, delivery, (outcome) => {
      this.inFlight--;
      const conclude = (): void => this.conclude(delivery, outcome, target.target.url, configVersion);
      if (outcome.status === 410) this.concludeWhenRead(conclude);
      else conclude();
      this.proceed();
    });
  }

  /**
   * Concludes an attempt that was answered with 410, after the configuration has been read again. Another replica may have saved a newer
   * configuration during the attempt, and a 410 is final only if the attempt used the newest configuration.
   */
  private concludeWhenRead(conclude: () => void): void {
    this.unconfirmed.push(conclude);
    this.configurationChanged();
  }

  private conclude(delivery: DueDelivery, outcome: AttemptOutcome, url: string, configVersion: number): void {
    if (this.abandoned) return;
    this.activeAt = performance.now();
    const { health } = this;
    const classBefore = health.isFailing ? 'failing' : 'healthy';
    const wasDisabled = health.disabledReason !== null;
    const { verdict, changed } = health.judge(delivery, outcome, configVersion);
    const disabledReason = changed ? health.disabledReason : null;
    if (disabledReason !== null) this.backlog.putBack();
    const newReason = wasDisabled ? null : disabledReason;
    const endpoint = { id: this.endpoint.id, url, class: classBefore, disabledReason: newReason } as const;
    const change = changed ? () => health.change() : null;
    this.parts.sender.conclude({ delivery, outcome, verdict }, endpoint, change, (accepted) => {
      if (accepted) this.queue.left(delivery.id);
      else this.queue.refuse(delivery.id);
      // The timer is set only now: until the result is stored, the database would return the delivery as still due.
      if (accepted && verdict.status === 'pending') this.timer.wakeIn(verdict.nextInMs);
      if (this.queue.unfinished === 0) this.proceed();
    });
  }

  /** Takes over a delivery that was just committed, and the configuration that its transaction read. */
  handOver(delivery: DueDelivery, endpoint: Endpoint, readAt: number): void {
    // While draining, nothing is added: the shard's next owner finds the delivery in the database.
    if (this.draining !== undefined) return;
    this.adopt(endpoint, readAt);
    // If older due deliveries are only in the database, or the queue has no room, this delivery is not queued, but read in its turn.
    if (this.backlog.isBehind || !this.queue.handOver(delivery)) this.backlog.expect(true);
    this.proceed();
  }

  /** Called when there may be a due delivery that is not in memory. */
  wake(): void {
    this.backlog.expect(false);
    this.proceed();
  }

  /** Called with the endpoint's first pending delivery, as a sweep found it. */
  found({ deliveryId, dueInMs, disabled }: PendingEndpoint): void {
    const isStillFirst = this.firstFound === deliveryId;
    this.firstFound = deliveryId;
    if (dueInMs > 0 && !disabled) this.timer.wakeIn(dueInMs);
    // If the first pending delivery is in memory, it is being sent, and the next ones follow. But if it is still the first one after
    // another sweep, deliveries that are not in memory may be due too.
    else if (isStillFirst || !this.queue.has(deliveryId)) this.wake();
    else this.proceed();
  }

  get known(): KnownEndpoint {
    const { seenVersion, disabledReason } = this.health;
    return { id: this.endpoint.id, version: seenVersion, disabled: disabledReason !== null };
  }

  configurationRead(changed: Endpoint | null, readAt: number): void {
    if (changed === null) this.health.confirm(readAt);
    else this.adopt(changed, readAt);
    if (this.health.isConfirmed) for (const conclude of this.unconfirmed.splice(0)) conclude();
    this.proceed();
  }

  /** Called when a newer configuration may be stored. Nothing more is sent until the stored configuration has been read. */
  configurationChanged(): void {
    this.health.changed(performance.now());
    this.parts.configurations.request([this]);
  }

  private adopt(endpoint: Endpoint, readAt: number): void {
    try {
      this.health.adopt(endpoint, readAt);
    } catch (error) {
      const reason = (error as Error).message;
      this.logger.error({ msg: 'endpoint unusable', endpointId: this.endpoint.id, reason });
    }
  }

  /**
   * Sets expired deliveries to `failed` by calling `fail`. A worker that is being drained does not call `fail`, because another replica may
   * be sending the deliveries. While `fail` runs, no request is started, because `fail` may set its delivery to `failed` at the same time. If
   * `fail` has changed deliveries, or throws (its commit may have succeeded), the queue is cleared, because it may still contain them.
   * @param fail sets the expired deliveries to `failed` and returns their number; leaves out the deliveries with the ids in `except`, which
   *   have an attempt in progress or a result that is not stored yet
   */
  async expire(fail: (except: readonly string[]) => Promise<number>): Promise<number> {
    if (this.draining !== undefined) return 0;
    this.expiring = true;
    let count: number | undefined;
    try {
      count = await fail(this.queue.unfinishedIds());
      this.health.expired(count);
      return count;
    } finally {
      if (count !== 0) this.backlog.putBack();
      this.expiring = false;
      this.proceed();
    }
  }

  /** Allows deliveries with rejected results to be sent again if 5 minutes have passed since the last rejection. */
  retryRefused(): void {
    if (this.queue.forgetRefused(performance.now())) this.wake();
  }

  /** Whether the worker has been idle long enough to be removed. */
  get isIdle(): boolean {
    const quiet = this.queue.isEmpty && this.backlog.isQuiet && !this.timer.isSet;
    return quiet && performance.now() - this.activeAt > IDLE_TIMEOUT_MS;
  }

  /** Stops starting requests. Resolves when requests in flight, the storing of results and `expire` have ended, or on `abandon`. */
  drain(): Promise<void> {
    if (this.draining === undefined) {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      this.draining = { ended, end };
      this.queue.clear();
      this.timer.stop();
      this.backlog.stop();
    }
    this.proceed();
    return this.draining.ended;
  }

  private endWhenDrained(): void {
    if (this.queue.unfinished === 0 && !this.expiring) this.draining?.end();
  }

  /** Stops waiting for requests in flight and ignores their results. Their deliveries will be sent again. */
  abandon(): void {
    this.abandoned = true;
    this.draining?.end();
  }
}
