import type { MemoryBudget } from './memory-budget';

/** Concurrent reads: few, so that the database and its connections stay available for results. */
export const DUE_READS = 3;

/**
 * Reads deliveries up to a number of bytes. The promise never rejects. It resolves with a function that takes over the deliveries that were
 * found.
 */
export type DueRead = (bytes: number) => Promise<() => void>;

/**
 * Schedules the reads of endpoints. Endpoints take turns, only a few reads are concurrent, and reads start only while memory has room for
 * deliveries.
 */
export class DueReads {
  private readonly waiting = new Set<DueRead>();
  private running = 0;

  constructor(private readonly memory: MemoryBudget) {
    memory.onFreed = () => this.start();
  }

  /** Calls `read` when its turn comes. It is called only once, however often it was requested before. */
  request(read: DueRead): void {
    this.waiting.add(read);
    this.start();
  }

  /** Withdraws a request. @returns false when its turn has already come, or when there was no request */
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

  /** Runs a read. The bytes are reserved during the read, so that concurrent reads do not exceed the budget together. */
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
