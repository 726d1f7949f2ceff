import { Injectable, Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/batching';
import { DueRepository, type PendingEndpoint, type Sweep } from './due.repository';
import type { EndpointWorker } from './endpoint.worker';
import { ExpiryRepository } from './expiry.repository';
import type { ShardKeeper } from './shard.keeper';
import { Workers } from './workers';

/** Deliveries that are failed by one statement, because they waited too long. */
const EXPIRED_PART = 500;
/** What a pause would keep waiting without end is looked for by every tenth sweep. */
const EXPIRE_EVERY = 10;

/**
 * Finds what no one hands over: deliveries of an earlier owner or of another replica, what becomes due soon, configurations that another
 * replica saved, and sales that were closed there. A hand-over in memory is only faster.
 */
@Injectable()
export class Sweeper {
  private readonly outage = new OutageLog(new Logger('dispatch'), {
    away: 'sweeps fail',
    back: 'sweeps succeed again',
  });
  /** The endpoint up to which the last sweep came. */
  private last: string | null = null;
  private count = 0;

  constructor(
    private readonly due: DueRepository,
    private readonly expiry: ExpiryRepository,
    private readonly workers: Workers,
  ) {}

  /** Looks at everything that is pending in these shards. */
  async sweepAll(shards: readonly number[], keeper: ShardKeeper): Promise<void> {
    if (shards.length === 0) return;
    await this.quietly(async () => {
      for (let last: string | null = null; ;) {
        const found: Sweep = await this.due.sweep(shards, last, this.workers.policy.horizonMs);
        await this.wake(found.endpoints, keeper);
        if ((last = found.last) === null) return;
      }
    });
  }

  /** One sweep: the next endpoints that have something pending, and what other replicas did. */
  async sweep(keeper: ShardKeeper): Promise<void> {
    const shards = keeper.shards();
    await this.quietly(async () => {
      const found = await this.due.sweep(shards, this.last, this.workers.policy.horizonMs);
      this.last = found.last;
      if (found.shardsFree) keeper.beatSoon();
      this.stop(found.stopped);
      this.workers.checkConfigurations();
      await this.wake(found.endpoints, keeper);
      if (this.count++ % EXPIRE_EVERY === 0) await this.endWhatFails(shards);
    });
    for (const worker of this.workers.all()) {
      worker.retryRefused();
      if (worker.isIdle) this.workers.forget(worker);
    }
  }

  /** These deliveries must not be sent any more. One that is being sent is not held back. */
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

  /** Deliveries of failing endpoints, and the endpoints themselves. */
  private async endWhatFails(shards: readonly number[]): Promise<void> {
    const { disableAfter, disableAfterSeconds } = this.workers.policy;
    for (const worker of this.workers.ofShards(shards)) await this.expire(worker);
    const disabled = await this.expiry.disableFailing(shards, disableAfter, disableAfterSeconds);
    for (const id of disabled) this.workers.find(id)?.configurationChanged();
  }

  private async expire(worker: EndpointWorker): Promise<void> {
    for (let count = EXPIRED_PART; count === EXPIRED_PART && worker.health.isFailing;) {
      const underWay = worker.queue.unfinishedIds();
      count = await this.expiry.expire(worker.endpoint, this.workers.policy.expiry, underWay, EXPIRED_PART);
      if (count > 0) worker.expired(count);
    }
  }

  private async quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.outage.succeeded();
    } catch (error) {
      this.outage.failed({ reason: (error as Error).message });
    }
  }
}
