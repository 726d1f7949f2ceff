import type { MemoryBudget } from './memory-budget';

/** Reads at a time: few, so that they take neither the database nor its connections from the results. */
export const DUE_READS = 3;

/** Reads up to so many bytes. Never rejects: it resolves with what takes over the deliveries that were found. */
export type DueRead = (bytes: number) => Promise<() => void>;

/** Which endpoint reads next: in turn, a few at a time, and only while memory has room for what they bring. */
export class DueReads {
  private readonly waiting = new Set<DueRead>();
  private running = 0;

  constructor(private readonly memory: MemoryBudget) {
    memory.onFreed = () => this.start();
  }

  /** Calls `read` when it is its turn, once however often it was requested before. */
  request(read: DueRead): void {
    this.waiting.add(read);
    this.start();
  }

  /** Takes a request back. @returns false when its turn has come, or there was none */
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

  /** The bytes are reserved while the read is under way, so that reads that run together fit together. */
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
