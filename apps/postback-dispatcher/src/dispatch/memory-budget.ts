import { bytesInMemory } from './dispatch.metrics';
import type { DueDelivery } from './dispatch-types';

/** The memory of a delivery in addition to its body, in bytes (an estimate). */
export const OVERHEAD_BYTES = 1_024;
/**
 * The share of the budget that reads may fill. The other quarter is reserved for deliveries that are handed over in memory, so that they
 * find room even while many endpoints have a backlog.
 */
const READ_SHARE = 0.75;

/**
 * The share of the budget up to which deliveries are handed over to endpoints that already have queued deliveries. This limit prevents a
 * few slow endpoints from filling the budget.
 */
const BEHIND_SHARE = 0.5;

/** While more than half of the reads' memory is free, a read may take 1/LARGE_READS of the free memory above this half. */
const LARGE_READS = 64;

/** Returns the memory of a delivery in bytes. A character of a string takes up to two bytes. */
export const bytesOf = ({ body }: Pick<DueDelivery, 'body'>): number => OVERHEAD_BYTES + 2 * body.length;

/** Bounds the bytes of the deliveries in this process's memory, over all endpoints. All other deliveries stay in the database. */
export class MemoryBudget {
  /** The number of endpoints with deliveries in memory. */
  holders = 0;
  private used = 0;

  constructor(private readonly max: number) {}

  /** Called when deliveries have left the memory, so that the budget has room again. */
  onFreed: () => void = () => undefined;

  /** The bytes that reads may still fill. */
  get leftForReads(): number {
    return this.max * READ_SHARE - this.used;
  }

  /**
   * Returns how many bytes the next read may take: the larger of two amounts. The first amount is an endpoint's equal share of half of the
   * reads' memory. The second amount is a fixed fraction of the free memory above this half. It exists because few large reads cost less
   * than many small ones.
   */
  grantOf(endpoints: number): number {
    const half = (this.max * READ_SHARE) / 2;
    return Math.max(half / Math.max(1, endpoints), (this.leftForReads - half) / LARGE_READS);
  }

  /**
   * Returns whether there is room for a delivery that is handed over in memory.
   * @param isBehind whether its endpoint already has queued deliveries
   */
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
