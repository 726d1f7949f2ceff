import type { MemoryBudget } from './memory-budget';

/** Concurrent reads: few, so that they leave the database and its connections to the results. */
export const DUE_READS = 3;

/** Reads up to a number of bytes. Never rejects: resolves with a function that takes over the deliveries found. */
export type DueRead = (bytes: number) => Promise<() => void>;

/** Schedules the reads of endpoints: in turn, a few at a time, and only while memory has room for the results. */
export class DueReads {
  private readonly waiting = new Set<DueRead>();
  private running = 0;

  constructor(private readonly memory: MemoryBudget) {
    memory.onFreed = () => this.start();
  }

  /** Calls `read` when it is its turn, once however often it was requested. */
  request(read: DueRead): void {
    this.waiting.add(read);
    this.start();
  }

  /** Withdraws a request. @returns false when its turn has come, or there was none */
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

  /** The bytes are reserved during the read, so that concurrent reads fit together. */
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
