import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { withoutContext } from '@tandem/database';
import { OutageLog } from '@tandem/messaging';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostbackDispatcherConfig } from '../config';
import type { Endpoint } from '../endpoint/endpoint.entity';
import { endpointsInMemory, shardsOwned } from './dispatch.metrics';
import type { DueDelivery } from './dispatch.types';
import { EndpointWorker } from './endpoint.worker';
import { ExpiryRepository } from './expiry.repository';
import { RecentIds } from './recent-ids';
import { ShardHolder, ShardKeeper } from './shard.keeper';
import { ShardRepository } from './shard.repository';
import { WakeMessage, WakeNotifier } from './wake.notifier';
import { WorkerTools } from './worker.tools';

/** The share of SHUTDOWN_TIMEOUT_MS that requests in flight get to finish in. */
const FINISH_SHARE = 0.6;
/** Deliveries that are given up by one statement. */
const EXPIRED_PART = 500;

/** Sends for the shards that this process owns, by one worker for each endpoint that has something to send. */
@Injectable()
export class DispatchService implements ShardHolder, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** This run of this process. */
  readonly replicaId = randomUUID();
  private readonly logger = new Logger('dispatch');
  private readonly sweepOutage = new OutageLog(this.logger, {
    away: 'sweeps fail',
    back: 'sweeps succeed again',
  });
  private readonly workers = new Map<string, EndpointWorker>();
  /** Deliveries of which it was heard that they must not be sent, perhaps before they were handed over. */
  private readonly stopped = new RecentIds();
  private readonly keeper: ShardKeeper;
  private sweepTimer: NodeJS.Timeout | undefined;
  private running = false;

  constructor(
    private readonly config: PostbackDispatcherConfig,
    private readonly shards: ShardRepository,
    private readonly tools: WorkerTools,
    private readonly expiry: ExpiryRepository,
    private readonly wakeups: WakeNotifier,
  ) {
    this.keeper = new ShardKeeper(this.replicaId, config.POSTBACK_LEASE_MS, shards, this);
    tools.ownsShards = () => this.keeper.confirmed;
    tools.writer.onResumed(() => this.resumeAll());
  }

  onApplicationBootstrap(): void {
    this.running = true;
    this.wakeups.onMessage((message) => withoutContext(() => this.received(message)));
    this.keeper.start();
    this.sweepLater();
  }

  /** Finishes what is in flight, and gives every shard back, so that other replicas go on at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.running = false;
    const stopped = this.keeper.stop();
    clearTimeout(this.sweepTimer);
    const workers = [...this.workers.values()];
    const finished = Promise.all(workers.map((worker) => worker.drain())).then(() => this.tools.writer.drained());
    const late = new AbortController();
    await Promise.race([
      finished,
      sleep(this.config.SHUTDOWN_TIMEOUT_MS * FINISH_SHARE, undefined, { signal: late.signal }),
    ]);
    late.abort();
    for (const worker of workers) worker.abandon();
    this.tools.writer.abandon();
    await this.tools.client.close();
    try {
      await stopped;
      await this.shards.leave(this.replicaId);
      await this.wakeups.shardsFree();
    } catch (error) {
      const reason = (error as Error).message;
      this.logger.warn({ msg: 'the shards could not be given back: their lease ends by itself', reason });
    }
  }

  /** Whether this process sends for that shard. */
  owns(shard: number): boolean {
    return this.running && this.keeper.epochOf(shard) !== undefined;
  }

  /**
   * After the commit of a delivery: hands it over in memory, or wakes the replica that owns the endpoint's shard.
   * @param readAt when the statement that read the endpoint began (`performance.now()`)
   */
  handOver(endpoint: Endpoint, delivery: DueDelivery, readAt: number): void {
    if (this.stopped.has(delivery.id)) return;
    if (!this.owns(endpoint.shard)) return this.wakeups.due(endpoint);
    withoutContext(() => {
      const worker = this.workerOf(endpoint);
      try {
        worker?.handOver(delivery, endpoint, readAt);
      } catch (error) {
        // The delivery stays in the database, and the worker reads it when its configuration can be used.
        if (!worker?.isRetrying) this.logUnusable(endpoint, error as Error);
        worker?.wake();
      }
    });
  }

  /** After a commit that made deliveries of the endpoint due. */
  wake(endpoint: Endpoint): void {
    if (!this.owns(endpoint.shard)) return this.wakeups.due(endpoint);
    withoutContext(() => this.workerOf(endpoint)?.wake());
  }

  taken(shards: readonly number[]): void {
    shardsOwned.set(this.keeper.shards().length);
    void this.sweep(shards);
  }

  lost(shards: readonly number[]): void {
    for (const worker of this.workersOf(shards)) this.forget(worker);
    shardsOwned.set(this.keeper.shards().length);
  }

  async drain(shards: readonly number[]): Promise<void> {
    const workers = this.workersOf(shards);
    await Promise.all(workers.map((worker) => worker.drain()));
    for (const worker of workers) this.forget(worker);
    shardsOwned.set(this.keeper.shards().length);
  }

  released(): void {
    void this.wakeups.shardsFree();
  }

  renewed(): void {
    this.resumeAll();
  }

  private sweepLater(): void {
    this.sweepTimer = setTimeout(
      () => void this.sweep(this.keeper.shards()).then(() => this.running && this.sweepLater()),
      this.config.POSTBACK_SWEEP_MS,
    );
  }

  /** Finds what is pending though nobody told of it, and what becomes due soon; ends what has waited too long. */
  private async sweep(shards: readonly number[]): Promise<void> {
    try {
      for (const { endpoint, dueInMs } of await this.tools.due.findPendingEndpoints(shards, this.tools.horizonMs)) {
        const worker = this.owns(endpoint.shard) ? this.workerOf(endpoint) : undefined;
        if (dueInMs <= 0 || endpoint.status === 'disabled') worker?.wake();
        else worker?.wakeIn(dueInMs);
      }
      await this.endWhatFails(shards);
      this.sweepOutage.succeeded();
    } catch (error) {
      if (this.running) this.sweepOutage.failed({ reason: (error as Error).message });
    }
    this.stopped.forgetOlder();
    for (const worker of this.workers.values()) {
      worker.retryRefused();
      if (worker.isIdle) this.forget(worker);
    }
  }

  /** What a pause would keep waiting without end: deliveries of failing endpoints, and the endpoints themselves. */
  private async endWhatFails(shards: readonly number[]): Promise<void> {
    const { disableAfter, disableAfterSeconds, expiry } = this.tools.policy;
    for (const worker of this.workersOf(shards)) {
      for (let count = EXPIRED_PART; count === EXPIRED_PART && worker.health.isFailing;) {
        const underWay = worker.queue.unfinishedIds();
        count = await this.expiry.expire(worker.endpoint, expiry, underWay, EXPIRED_PART);
        if (count > 0) worker.expired(count);
      }
    }
    const disabled = await this.expiry.disableFailing(shards, disableAfter, disableAfterSeconds);
    for (const id of disabled) this.workers.get(id)?.configurationChanged();
  }

  /** The endpoint's worker, made when there is none; undefined when its configuration cannot be used. */
  private workerOf(endpoint: Endpoint): EndpointWorker | undefined {
    const known = this.workers.get(endpoint.id);
    const epoch = this.keeper.epochOf(endpoint.shard);
    if (known !== undefined || epoch === undefined) return known;
    try {
      const worker = new EndpointWorker(endpoint, epoch, this.tools);
      this.workers.set(endpoint.id, worker);
      endpointsInMemory.set(this.workers.size);
      return worker;
    } catch (error) {
      // Say its key cannot be decrypted: that must not cost the others anything.
      this.logUnusable(endpoint, error as Error);
      return undefined;
    }
  }

  private logUnusable({ id: endpointId }: Endpoint, { message: reason }: Error): void {
    this.logger.error({ msg: 'an endpoint cannot be used', endpointId, reason });
  }

  private workersOf(shards: readonly number[]): EndpointWorker[] {
    const wanted = new Set(shards);
    return [...this.workers.values()].filter(({ endpoint }) => wanted.has(endpoint.shard));
  }

  private forget(worker: EndpointWorker): void {
    if (this.workers.get(worker.endpointId) === worker) this.workers.delete(worker.endpointId);
    endpointsInMemory.set(this.workers.size);
    void worker.drain();
  }

  private received(message: WakeMessage): void {
    if (!this.running) return;
    if (message.kind === 'shards') return this.keeper.beatSoon();
    if (message.kind === 'listening') return this.readAnew();
    const { endpointId } = message;
    const worker = this.workers.get(endpointId);
    if (message.kind === 'changed') worker?.configurationChanged();
    else if (message.kind === 'stopped') this.stop(message.deliveryId, worker);
    else if (worker !== undefined) worker.wake();
    else if (this.owns(message.shard)) void this.open(endpointId);
  }

  /** One that is being sent is not held back. */
  private stop(deliveryId: string, worker: EndpointWorker | undefined): void {
    this.stopped.add(deliveryId);
    worker?.queue.remove(deliveryId);
  }

  /** Something of what waits in memory may have been stopped, unheard. */
  private readAnew(): void {
    for (const worker of this.workers.values()) worker.readAnew();
  }

  private async open(endpointId: string): Promise<void> {
    try {
      const endpoint = await this.tools.endpoints.findById(endpointId);
      if (endpoint !== null && this.owns(endpoint.shard)) this.workerOf(endpoint)?.wake();
    } catch (error) {
      // The next sweep finds it.
      this.tools.outage.failed({ endpointId, reason: (error as Error).message });
    }
  }

  private resumeAll(): void {
    for (const worker of this.workers.values()) worker.proceed();
  }
}
