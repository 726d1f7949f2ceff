import { Logger } from '@nestjs/common';
import { OutageLog } from '@tandem/batching';
import type { OwnedShard, ShardRepository, ShardState } from './shard.repository';

/** The object that sends deliveries for the shards of this process. The keeper calls its methods when these shards change. */
export interface ShardHolder {
  /** Called after this process has taken these shards. */
  taken(shards: readonly number[]): void;
  /** Called when this process has lost these shards to another process. No request may be started for these shards any more. */
  lost(shards: readonly number[]): void;
  /**
   * Stops starting requests for this shard. Resolves when no request for the shard is in flight and all of its results
   * are stored, or when this takes too long.
   */
  drain(shard: number): Promise<void>;
  /** Called after the leases were renewed, so that work that waited for the renewal continues. */
  renewed(): void;
}

/** In this last share of a lease, no request is started, because the clocks of different machines run at slightly different speeds. */
const SAFETY = 0.1;
const HEARTBEATS_PER_LEASE = 3;
/** This long after the end of another replica's lease, a heartbeat checks whether the shard is free. */
const ENDED_MS = 20;

/**
 * Manages the shards of this process with a heartbeat. The heartbeat renews the leases, takes free shards up to this process's share, and
 * returns shards beyond this share. All decisions about leases are made here, one after the other.
 */
export class ShardKeeper {
  private readonly logger = new Logger('shard');
  private readonly outage = new OutageLog(this.logger, {
    failed: 'shards cannot be renewed',
    recovered: 'shards are renewed again',
  });
  private readonly owned = new Map<number, string>();
  private readonly draining = new Set<number>();
  private readonly drained = new Set<number>();
  private confirmedUntil = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | null = null;
  private beatAgain = false;
  /** Whether this process is stopping: it takes no more shards, and returns all that it has. */
  private leaving = false;
  private stopped = true;

  constructor(
    private readonly replicaId: string,
    private readonly leaseMs: number,
    private readonly repository: ShardRepository,
    private readonly holder: ShardHolder,
  ) {}

  start(): void {
    this.stopped = false;
    this.beatSoon();
  }

  /**
   * Starts to return all shards, because this process stops. Each shard is returned when its requests in flight have ended and their
   * results are stored, or when this takes too long. Until then, heartbeats renew its lease, so that no other replica sends its deliveries
   * a second time.
   */
  returnAll(): void {
    this.leaving = true;
    this.giveBack(this.shards());
    this.beatSoon();
  }

  /** Stops the heartbeats. Resolves when no heartbeat is in progress. */
  stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    return this.beating ?? Promise.resolve();
  }

  /** Returns the epoch of a shard; undefined if this process does not send for the shard, or is stopping. */
  epochOf(shard: number): string | undefined {
    if (this.stopped) return undefined;
    return this.draining.has(shard) ? undefined : this.owned.get(shard);
  }

  /** Returns the shards that this process sends for: its shards, except those that are being returned. */
  shards(): number[] {
    return [...this.owned.keys()].filter((shard) => !this.draining.has(shard));
  }

  /** Whether the leases are valid at this moment, so that a request may be started. */
  get confirmed(): boolean {
    return performance.now() < this.confirmedUntil;
  }

  /** Runs a heartbeat as soon as possible, for example because shards may be free. */
  beatSoon(): void {
    if (this.beating !== null) this.beatAgain = true;
    else if (!this.stopped) this.beating = this.beat();
  }

  private async beat(): Promise<void> {
    clearTimeout(this.timer);
    this.beatAgain = false;
    let nextMs = this.leaseMs / HEARTBEATS_PER_LEASE;
    try {
      await this.releaseDrained();
      const askedAt = performance.now();
      const state = await this.repository.renew(this.replicaId, this.leaseMs, !this.leaving);
      if (!this.stopped) this.adopt(state.owned, askedAt);
      await this.balance(state);
      nextMs = Math.min(nextMs, (state.nextEndMs ?? Infinity) + ENDED_MS);
      this.outage.succeeded();
    } catch (error) {
      this.complain(error as Error);
    }
    this.beating = null;
    if (this.stopped) return;
    this.timer = setTimeout(() => this.beatSoon(), this.beatAgain ? 0 : nextMs);
  }

  private adopt(owned: readonly OwnedShard[], askedAt: number): void {
    const ids = new Set(owned.map(({ id }) => id));
    const lost = [...this.owned.keys()].filter((id) => !ids.has(id));
    for (const id of lost) this.forget(id);
    if (lost.length > 0) this.holder.lost(lost);
    this.confirmedUntil = askedAt + this.leaseMs * (1 - SAFETY);
    // If a renewed shard is unknown here, this process claimed it with a statement whose result was lost.
    this.take(owned.filter(({ id }) => !this.owned.has(id)));
    this.holder.renewed();
  }

  private async balance({ total, free, replicas }: ShardState): Promise<void> {
    const missing = Math.ceil(total / replicas) - this.owned.size;
    if (this.stopped || this.leaving) return;
    if (missing > 0 && free > 0) {
      const claimed = await this.repository.claim(this.replicaId, missing, this.leaseMs);
      if (!this.stopped) this.take(claimed);
    } else if (missing < 0 && this.draining.size === 0) this.giveBack(this.shards().slice(missing));
  }

  private take(shards: readonly OwnedShard[]): void {
    if (shards.length === 0) return;
    for (const { id, epoch } of shards) this.owned.set(id, epoch);
    // The statement that claimed these shards was still running when this process began to stop, so they are returned.
    if (this.leaving) return this.giveBack(shards.map(({ id }) => id));
    this.logger.log({ msg: 'shards taken', count: shards.length, owned: this.owned.size });
    this.holder.taken(shards.map(({ id }) => id));
  }

  private giveBack(shards: readonly number[]): void {
    for (const shard of shards) {
      this.draining.add(shard);
      void this.holder.drain(shard).then(() => {
        if (this.draining.has(shard)) this.drained.add(shard);
        this.beatSoon();
      });
    }
  }

  private async releaseDrained(): Promise<void> {
    const shards = [...this.drained];
    if (shards.length === 0) return;
    await this.repository.release(this.replicaId, shards);
    for (const shard of shards) this.forget(shard);
    this.logger.log({ msg: 'shards returned', count: shards.length, owned: this.owned.size });
  }

  private forget(shard: number): void {
    this.owned.delete(shard);
    this.draining.delete(shard);
    this.drained.delete(shard);
  }

  /** Logs the error, once per outage instead of at each heartbeat. */
  private complain(error: Error): void {
    if (!this.stopped) this.outage.failed({ reason: error.message });
  }
}
