import { bytesInMemory } from './dispatch.metrics';
import type { DueDelivery } from './dispatch-types';

/** A delivery's memory in addition to its body. */
export const OVERHEAD_BYTES = 1_024;
/** The share of the budget for reads: committed deliveries find room even while many endpoints have a backlog. */
const READ_SHARE = 0.75;

/** The share for hand-overs to endpoints with waiting deliveries: a few slow endpoints must not take all of it. */
const BEHIND_SHARE = 0.5;

/** How many reads may be large. */
const LARGE_READS = 64;

/** A delivery's memory: a string has up to two bytes per character. */
export const bytesOf = ({ body }: Pick<DueDelivery, 'body'>): number => OVERHEAD_BYTES + 2 * body.length;

/** Bytes of the deliveries in this process's memory, over all endpoints. The others stay in the database. */
export class MemoryBudget {
  /** Endpoints with deliveries in memory. */
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
   * The size of the next read: each endpoint has its share of one half; as long as more than that is left, the next read
   * takes a part of it, because few large reads cost less than many small ones.
   */
  grantOf(endpoints: number): number {
    const half = (this.max * READ_SHARE) / 2;
    return Math.max(half / Math.max(1, endpoints), (this.leftForReads - half) / LARGE_READS);
  }

  /** Whether a hand-over fits. @param isBehind whether its endpoint already has waiting deliveries */
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
