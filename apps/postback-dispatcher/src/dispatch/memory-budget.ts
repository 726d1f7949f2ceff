import { bytesInMemory } from './dispatch.metrics';
import type { DueDelivery } from './dispatch-types';

/** A delivery's memory in addition to its body. */
export const OVERHEAD_BYTES = 1_024;
/**
 * The share of the budget that reads may fill. The rest leaves room for deliveries that are handed over, even while many endpoints have a
 * backlog.
 */
const READ_SHARE = 0.75;

/** Hand-overs to endpoints with queued deliveries are accepted up to this share of the budget, so that a few slow endpoints do not take all of it. */
const BEHIND_SHARE = 0.5;

/** A large read may take one part in this many of the reads' memory that is left above its first half. */
const LARGE_READS = 64;

/** Returns a delivery's memory in bytes: a string has up to two bytes per character. */
export const bytesOf = ({ body }: Pick<DueDelivery, 'body'>): number => OVERHEAD_BYTES + 2 * body.length;

/** Bounds the bytes of the deliveries in this process's memory, over all endpoints. All other deliveries stay in the database. */
export class MemoryBudget {
  /** The number of endpoints with deliveries in memory. */
  holders = 0;
  private used = 0;

  constructor(private readonly max: number) {}

  /** Called when room becomes available. */
  onFreed: () => void = () => undefined;

  /** Bytes available to reads. */
  get leftForReads(): number {
    return this.max * READ_SHARE - this.used;
  }

  /**
   * Returns how many bytes the next read may take. The endpoints share half of the reads' memory equally. While more than that half is
   * left, a read may instead take a fixed part of the excess if that is larger, because few large reads cost less than many small ones.
   */
  grantOf(endpoints: number): number {
    const half = (this.max * READ_SHARE) / 2;
    return Math.max(half / Math.max(1, endpoints), (this.leftForReads - half) / LARGE_READS);
  }

  /** Returns whether a delivery that is handed over fits. @param isBehind whether its endpoint already has queued deliveries */
  hasRoomFor(bytes: number, isBehind: boolean): boolean {
    return this.used + bytes <= this.max * (isBehind ? BEHIND_SHARE : 1);
  }

  charge(bytes: number): void {
    bytesInMemory.set((this.used += bytes));
  }

  giveBack(bytes: number): void {
    this.charge(-bytes);
    this.onFreed();
  }
}
