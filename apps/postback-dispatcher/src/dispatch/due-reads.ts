import type { MemoryBudget } from './memory-budget';

/** Maximum concurrent reads. The number is small, so that the database and its connections stay available for results. */
export const DUE_READS = 3;

/**
 * Reads deliveries, up to a number of bytes in total. The promise never rejects. It resolves with a function that adds the found deliveries
 * to the endpoint's queue.
 */
export type DueRead = (bytes: number) => Promise<() => void>;

/**
 * Schedules the reads of due deliveries. Endpoints take turns, at most DUE_READS reads run at a time, and a read starts only when the
 * memory budget has room.
 */
export class DueReads {
  private readonly waiting = new Set<DueRead>();
  private running = 0;

  constructor(private readonly memory: MemoryBudget) {
    memory.onFreed = () => this.start();
  }

  /** Calls `read` when its turn comes: once, even if it is requested several times before that. */
  request(read: DueRead): void {
    this.waiting.add(read);
    this.start();
  }

  /** Withdraws a request. @returns false when the read has already started, or was not requested */
  cancel(read: DueRead): boolean {
    return this.waiting.delete(read);
  }

  private start(): void {
    for (const read of this.waiting) {
      const bytes = this.memory.grantOf(this.memory.holders + this.waiting.size + this.running);
      if (this.running === DUE_READS || this.memory.leftForReads < bytes) return;
      this.waiting.delete(read);
      void this.run(read, bytes);
    }
  }

  /** Runs a read. Reserves its bytes while it runs, so that all concurrent reads together do not exceed the budget. */
  private async run(read: DueRead, bytes: number): Promise<void> {
    this.running++;
    this.memory.charge(bytes);
    const takeOver = await read(bytes);
    this.running--;
    this.memory.charge(-bytes);
    takeOver();
    this.start();
  }
}
