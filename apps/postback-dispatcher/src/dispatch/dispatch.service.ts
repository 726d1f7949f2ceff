import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { withoutContext } from '@tandem/batching';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AttemptClient } from '../attempt/attempt.client';
import { PostbackDispatcherConfig } from '../config';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import { measureShardsOwned } from './dispatch.metrics';
import type { DueDelivery } from './dispatch-types';
import type { EndpointWorker } from './endpoint.worker';
import { ResultWriter } from './result-writer';
import { type ShardHolder, ShardKeeper } from './shard-keeper';
import { ShardRepository } from './shard.repository';
import { Sweeper } from './sweeper';
import { Workers } from './workers';

/** When the process stops, requests in flight may take this share of SHUTDOWN_TIMEOUT_MS to finish. */
const FINISH_SHARE = 0.6;
/** The maximum time for which this process waits for requests in flight, and for their results to be stored, before it returns a shard. */
const DRAIN_MS = 30_000;

/** Sends the deliveries of the shards that this process owns. Each endpoint that has deliveries to send has one worker. */
@Injectable()
export class DispatchService implements ShardHolder, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Identifies this run of this process as an owner of shards. */
  readonly replicaId = randomUUID();
  private readonly logger = new Logger('dispatch');
  private readonly keeper: ShardKeeper;
  private sweepTimer: NodeJS.Timeout | undefined;
  private running = false;

  constructor(
    private readonly config: PostbackDispatcherConfig,
    private readonly shards: ShardRepository,
    private readonly workers: Workers,
    private readonly sweeper: Sweeper,
    private readonly writer: ResultWriter,
    private readonly client: AttemptClient,
  ) {
    this.keeper = new ShardKeeper(this.replicaId, config.POSTBACK_LEASE_MS, shards, this);
    workers.leasesHold = () => this.keeper.confirmed;
    // A process that could not renew its leases in time sends nothing, so it counts no shard as its own.
    measureShardsOwned(() => (this.keeper.confirmed ? this.keeper.shards().length : 0));
  }

  onApplicationBootstrap(): void {
    this.running = true;
    this.keeper.start();
    this.sweepLater();
  }

  /**
   * Waits until requests in flight have ended and their results are stored, for at most FINISH_SHARE of SHUTDOWN_TIMEOUT_MS. Returns every
   * shard, so that other replicas can take the shards.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.running = false;
    clearTimeout(this.sweepTimer);
    const workers = this.workers.all();
    this.keeper.returnAll();
    const finished = Promise.all(workers.map((worker) => worker.drain())).then(() => this.writer.drained());
    const late = new AbortController();
    await Promise.race([
      finished,
      sleep(this.config.SHUTDOWN_TIMEOUT_MS * FINISH_SHARE, undefined, { signal: late.signal }),
    ]);
    late.abort();
    const stopped = this.keeper.stop();
    for (const worker of workers) worker.abandon();
    this.writer.abandon();
    await this.client.close();
    try {
      await stopped;
      await this.shards.leave(this.replicaId);
    } catch (error) {
      const reason = (error as Error).message;
      this.logger.warn({ msg: 'shards not returned, leases will expire', reason });
    }
  }

  /**
   * Hands a delivery over to the endpoint's worker, in memory, after the delivery was committed. If another replica owns the endpoint's
   * shard, nothing happens here: a sweep of that replica finds the delivery.
   * @param readAt when the statement that read the endpoint began (`performance.now()`)
   */
  handOver(endpoint: Endpoint, delivery: DueDelivery, readAt: number): void {
    withoutContext(() => this.open(endpoint, readAt)?.handOver(delivery, endpoint, readAt));
  }

  /** Called after a commit that made deliveries of the endpoint due. */
  wake(endpoint: Endpoint): void {
    withoutContext(() => this.open(endpoint, -Infinity)?.wake());
  }

  /**
   * Called after a configuration was changed. If this process owns the endpoint's shard, it uses the new configuration from now on. If
   * another replica owns the shard, that replica uses the new configuration from its next sweep on.
   */
  configurationChanged(endpointId: string): void {
    withoutContext(() => this.workers.find(endpointId)?.configurationChanged());
  }

  /**
   * Called after a commit that stopped deliveries. This process drops these deliveries from memory now; the other replicas drop them in
   * their next sweep.
   */
  stop(deliveryIds: readonly string[]): void {
    withoutContext(() => this.sweeper.stop(deliveryIds));
  }

  taken(shards: readonly number[]): void {
    void this.sweeper.sweepAll(shards, this.keeper);
  }

  lost(shards: readonly number[]): void {
    for (const worker of this.workers.ofShards(shards)) this.workers.forget(worker);
  }

  async drain(shard: number): Promise<void> {
    const workers = this.workers.ofShards([shard]);
    // After DRAIN_MS, the shard is returned even if results are not stored, for example because rows are locked. These results may be
    // stored later, but the shard's next owner may send their deliveries again. When the process stops, FINISH_SHARE is the limit instead.
    const limit = new AbortController();
    const tooLong = sleep(DRAIN_MS, undefined, { ref: false, signal: limit.signal }).catch(() => undefined);
    const drained = Promise.all(workers.map((worker) => worker.drain()));
    await (this.running ? Promise.race([drained, tooLong]) : drained);
    limit.abort();
    for (const worker of workers) this.workers.forget(worker);
  }

  renewed(): void {
    this.workers.resume();
  }

  private sweepLater(): void {
    this.sweepTimer = setTimeout(
      () => void this.sweeper.sweep(this.keeper).then(() => this.running && this.sweepLater()),
      this.config.POSTBACK_SWEEP_MS,
    );
  }

  /** Returns the endpoint's worker; undefined if this process does not send for the shard, or cannot use the endpoint's configuration. */
  private open(endpoint: Endpoint, readAt: number): EndpointWorker | undefined {
    const epoch = this.running ? this.keeper.epochOf(endpoint.shard) : undefined;
    return epoch === undefined ? undefined : this.workers.open(endpoint, epoch, readAt);
  }
}
