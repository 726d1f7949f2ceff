import { Logger } from '@nestjs/common';
import type { ClaimedEndpoint, LeaseRepository } from './lease.repository';
import type { Lease } from './dispatch.types';

export interface LeaseTimes {
  readonly leaseMs: number;
  readonly pollMs: number;
}

/** The side of the dispatcher that the keeper talks to. */
export interface LeaseHolder {
  /** Leases that are held now. */
  leases(): Lease[];
  /** Whether more may be taken. */
  readonly takesLeases: boolean;
  claimed(claimed: ClaimedEndpoint, confirmedUntil: number): void;
  /** Of the leases that were asked for, these go on until then; the others are lost. */
  renewed(asked: readonly Lease[], renewedIds: ReadonlySet<string>, confirmedUntil: number): void;
  /** Other replicas are idle: so many of the leases should go to them. */
  shed(count: number): void;
}

/** Nothing is started in the last part of a lease: clocks of two machines do not run at quite the same speed. */
const SAFETY = 0.1;
const RENEWALS_PER_LEASE = 3;
/** What nobody has taken for so long is taken beyond the own share. */
const OVERDUE_MS = 1_000;
const ERROR_PAUSE_MS = 500;
/** When an endpoint that could not be used is tried again. */
const UNUSABLE_PAUSE_MS = 60_000;
/** A claim that brought so many is repeated at once. */
const FULL_CLAIM = 32;

/** Claims endpoints that are due, and keeps the leases that are held alive: one statement for all of them. */
export class LeaseKeeper {
  private readonly logger = new Logger('lease');
  private replicas = 1;
  private claimTimer: NodeJS.Timeout | undefined;
  private renewTimer: NodeJS.Timeout | undefined;
  private claiming = false;
  private claimAgain = false;
  private stopped = true;
  private complained = false;

  constructor(
    private readonly replicaId: string,
    private readonly repository: LeaseRepository,
    private readonly times: LeaseTimes,
    private readonly holder: LeaseHolder,
  ) {}

  start(): void {
    this.stopped = false;
    void this.renew();
    this.claimSoon();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.claimTimer);
    clearTimeout(this.renewTimer);
  }

  /** Until when (`performance.now()`) a lease holds whose statement began at `askedAt`. */
  confirmedUntil(askedAt: number): number {
    return askedAt + this.times.leaseMs * (1 - SAFETY);
  }

  /** Looks for due endpoints now. */
  claimSoon(): void {
    if (this.claiming) this.claimAgain = true;
    else if (!this.stopped) void this.claim();
  }

  private async claim(): Promise<void> {
    clearTimeout(this.claimTimer);
    this.claiming = true;
    this.claimAgain = false;
    let pauseMs = this.times.pollMs;
    try {
      if (this.holder.takesLeases && (await this.claimOnce()) >= FULL_CLAIM) this.claimAgain = true;
    } catch (error) {
      this.complain(error as Error);
      pauseMs = Math.max(pauseMs, ERROR_PAUSE_MS);
      this.claimAgain = false;
    }
    this.claiming = false;
    if (this.stopped) return;
    if (this.claimAgain) setImmediate(() => this.claimSoon());
    else this.claimTimer = setTimeout(() => void this.claim(), pauseMs);
  }

  private async claimOnce(): Promise<number> {
    const askedAt = performance.now();
    const owned = this.holder.leases().length;
    const { replicas, replicaId } = this;
    const share = { leaseMs: this.times.leaseMs, overdueMs: OVERDUE_MS, replicas, owned };
    const claimed = await this.repository.claim(replicaId, share);
    const unusable = claimed.filter((one) => !this.tryClaimed(one, this.confirmedUntil(askedAt)));
    if (unusable.length > 0) {
      const leases = unusable.map(({ lease }) => lease);
      await this.repository.release(replicaId, leases, UNUSABLE_PAUSE_MS);
    }
    return claimed.length;
  }

  /** One endpoint that cannot be used, say because its key cannot be decrypted, must not cost the others their lease. */
  private tryClaimed(claimed: ClaimedEndpoint, confirmedUntil: number): boolean {
    try {
      this.holder.claimed(claimed, confirmedUntil);
      return true;
    } catch (error) {
      const { endpointId } = claimed.lease;
      this.logger.error({ msg: 'an endpoint cannot be used', endpointId, reason: (error as Error).message });
      return false;
    }
  }

  private async renew(): Promise<void> {
    try {
      const asked = this.holder.leases();
      const askedAt = performance.now();
      if (asked.length > 0) {
        const renewed = await this.repository.renew(this.replicaId, asked, this.times.leaseMs);
        this.holder.renewed(asked, renewed, this.confirmedUntil(askedAt));
      }
      const { due, replicas } = await this.repository.heartbeat(this.replicaId, this.times.leaseMs);
      this.replicas = replicas;
      this.complained = false;
      const excess = asked.length - Math.ceil(due / replicas) - 1;
      if (replicas > 1 && excess > 0) this.holder.shed(excess);
    } catch (error) {
      this.complain(error as Error);
    }
    if (this.stopped) return;
    this.renewTimer = setTimeout(() => void this.renew(), this.times.leaseMs / RENEWALS_PER_LEASE);
  }

  /** One line for an outage, not one for each try. */
  private complain(error: Error): void {
    if (!this.complained && !this.stopped) this.logger.warn({ msg: 'leases cannot be kept', reason: error.message });
    this.complained = true;
  }
}
