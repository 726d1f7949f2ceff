import { Injectable, Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/batching';
import { DueRepository, type PendingEndpoint, type Sweep } from './due.repository';
import type { EndpointWorker } from './endpoint.worker';
import { ExpiryRepository } from './expiry.repository';
import type { ShardKeeper } from './shard-keeper';
import { Workers } from './workers';

/** The maximum number of expired deliveries that one statement sets to `failed`. */
const EXPIRED_PART = 500;
/** Every tenth sweep also sets expired deliveries to `failed`. Without this, pauses of a failing endpoint could delay deliveries forever. */
const EXPIRE_EVERY = 10;

/**
 * Finds in the database what this process does not have in memory: deliveries that a shard's previous owner has left, deliveries that another replica
 * has added or that become due soon, and configurations and closed sales that other replicas have stored. Changes that this process stores itself are
 * also applied in memory at once, but only to save the wait for the next sweep.
 */
@Injectable()
export class Sweeper {
  private readonly outage = new OutageLog(new Logger('dispatch'), {
    failed: 'sweeps fail',
    recovered: 'sweeps succeed again',
  });
  private readonly expiryOutage = new OutageLog(new Logger('dispatch'), {
    failed: 'the expiry of deliveries fails',
    recovered: 'the expiry of deliveries succeeds again',
  });
  /** The endpoint after which the next sweep starts; null if it starts at the first endpoint. */
  private last: string | null = null;
  private count = 0;
  /** The deliveries of closed sales that the last sweep reported. */
  private stopped: ReadonlySet<string> = new Set();
  /** When the last successful sweep started; before the first sweep, when this object was created. */
  private lastSweptAt = performance.now();
  private isExpiring = false;

  constructor(
    private readonly due: DueRepository,
    private readonly expiry: ExpiryRepository,
    private readonly workers: Workers,
  ) {}

  /** Sweeps all endpoints of these shards that have pending deliveries. Called when this process has taken the shards. */
  async sweepAll(shards: readonly number[], keeper: ShardKeeper): Promise<void> {
    if (shards.length === 0) return;
    await quietly(this.outage, async () => {
      for (let last: string | null = null; ;) {
        const found: Sweep = await this.due.sweep(shards, last, this.workers.policy.horizonMs);
        await this.wake(found.endpoints, keeper);
        if ((last = found.last) === null) return;
      }
    });
  }

  /** Runs one sweep: reads the next endpoints with pending deliveries, and the changes that other replicas have stored. */
  async sweep(keeper: ShardKeeper): Promise<void> {
    const shards = keeper.shards();
    await quietly(this.outage, async () => {
      const startedAt = performance.now();
      const sinceLastSweepMs = startedAt - this.lastSweptAt;
      const found = await this.due.sweep(shards, this.last, this.workers.policy.horizonMs, sinceLastSweepMs);
      this.lastSweptAt = startedAt;
      this.last = found.last;
      // A heartbeat claims the free shards.
      if (found.shardsFree) keeper.beatSoon();
      this.stop(found.stopped.filter((id) => !this.stopped.has(id)));
      this.stopped = new Set(found.stopped);
      this.workers.checkConfigurations();
      await this.wake(found.endpoints, keeper);
      if (this.count++ % EXPIRE_EVERY === 0) void this.expireAndDisable(shards);
    });
    for (const worker of this.workers.all()) {
      worker.retryRefused();
      if (worker.isIdle) this.workers.forget(worker);
    }
  }

  /** Removes these deliveries from memory, because they must not be sent. Does not abort requests in flight. */
  stop(deliveryIds: readonly string[]): void {
    if (deliveryIds.length === 0) return;
    for (const { queue } of this.workers.all()) for (const id of deliveryIds) queue.remove(id);
  }

  private async wake(pending: readonly PendingEndpoint[], keeper: ShardKeeper): Promise<void> {
    const readAt = performance.now();
    for (const endpoint of await this.workers.readMissing(pending.map(({ endpointId }) => endpointId))) {
      const epoch = keeper.epochOf(endpoint.shard);
      if (epoch !== undefined) this.workers.open(endpoint, epoch, readAt);
    }
    for (const first of pending) this.workers.find(first.endpointId)?.found(first);
  }

  /**
   * Sets expired deliveries to `failed`. Then disables endpoints that have been failing for too long, and have too many exhausted or
   * expired deliveries in a row. Sweeps do not wait for this method, because it may take long.
   */
  private async expireAndDisable(shards: readonly number[]): Promise<void> {
    if (this.isExpiring) return;
    this.isExpiring = true;
    const { disableAfter, disableAfterSeconds } = this.workers.policy;
    await quietly(this.expiryOutage, async () => {
      for (const worker of this.workers.ofShards(shards)) await this.expire(worker);
      const disabled = await this.expiry.disableFailing(shards, disableAfter, disableAfterSeconds);
      for (const id of disabled) this.workers.find(id)?.configurationChanged();
    });
    this.isExpiring = false;
  }

  private async expire(worker: EndpointWorker): Promise<void> {
    for (let count = EXPIRED_PART; count === EXPIRED_PART && worker.health.isFailing;) {
      const { endpoint, health } = worker;
      const limits = this.workers.policy.expiry;
      count = await worker.expire((except) =>
        this.expiry.expire(endpoint, health.shardEpoch, limits, except, EXPIRED_PART),
      );
    }
  }
}

async function quietly(outage: OutageLog, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    outage.succeeded();
  } catch (error) {
    outage.failed({ reason: (error as Error).message });
  }
}
