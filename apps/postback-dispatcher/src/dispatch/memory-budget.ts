import { bytesInMemory } from './dispatch.metrics';
import type { DueDelivery } from './dispatch.types';

/** What a delivery takes in memory beside its body. */
export const OVERHEAD_BYTES = 1_024;
/** The share of the budget that reads may use: what was just committed finds room also while many endpoints have a backlog. */
const READ_SHARE = 0.75;

/** The share that hand-overs to endpoints which have something waiting may use: some slow endpoints must not take all of it. */
const BEHIND_SHARE = 0.5;

/** So many reads may be large. */
const LARGE_READS = 64;

/** The memory that a delivery takes: a string has up to two bytes for each character. */
export const bytesOf = ({ body }: Pick<DueDelivery, 'body'>): number => OVERHEAD_BYTES + 2 * body.length;

/** Bytes of the deliveries that this process has in memory, over all endpoints. What does not fit stays in the database. */
export class MemoryBudget {
  /** Endpoints that have deliveries in memory. */
  holders = 0;
  private used = 0;

  constructor(private readonly max: number) {}

  /** Called when there is more room. */
  onFreed: () => void = () => undefined;

  /** Bytes that reads may still bring. */
  get leftForReads(): number {
    return this.max * READ_SHARE - this.used;
  }

  /**
   * What the next read may bring: each of so many endpoints has its share of one half, and as long as more than that is left the next one
   * takes a part of it, as few large reads cost less than many small ones.
   */
  grantOf(endpoints: number): number {
    const half = (this.max * READ_SHARE) / 2;
    return Math.max(half / Math.max(1, endpoints), (this.leftForReads - half) / LARGE_READS);
  }

  /** Whether a hand-over fits. @param isBehind whether its endpoint has something waiting already */
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
