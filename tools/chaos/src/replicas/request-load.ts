/** A request that is made repeatedly. */
export interface Operation {
  readonly name: string;
  /** Makes the request. @throws an error that describes a wrong or missing answer */
  run(): Promise<void>;
}

/** The results of one operation. */
export interface OperationCount {
  readonly name: string;
  requests: number;
  /** The failed requests, each with its time and reason. */
  readonly failures: string[];
}

/**
 * Runs operations in parallel and counts failures. Each operation has one request at a time, at a steady pace, and no
 * request is retried.
 */
export class RequestLoad {
  readonly counts: OperationCount[];
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly operations: readonly Operation[]) {
    this.counts = operations.map(({ name }) => ({ name, requests: 0, failures: [] }));
  }

  /** How many requests of all operations have been sent so far. */
  get requests(): number {
    return this.counts.reduce((sum, { requests }) => sum + requests, 0);
  }

  /** How many requests of all operations have failed so far. */
  get failed(): number {
    return this.counts.reduce((sum, { failures }) => sum + failures.length, 0);
  }

  /** Starts all operations. @param everyMs the minimum time between the starts of two requests of an operation */
  start(everyMs: number): void {
    this.running = Promise.all(
      this.operations.map((operation, index) => this.repeat(operation, this.counts[index] as OperationCount, everyMs)),
    );
  }

  /** Sends no more requests. Resolves when the last request of each operation has ended. */
  async finish(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async repeat(operation: Operation, count: OperationCount, everyMs: number): Promise<void> {
    while (!this.stopped) {
      const next = Date.now() + everyMs;
      count.requests++;
      try {
        await operation.run();
      } catch (error) {
        count.failures.push(`${new Date().toISOString()} ${(error as Error).message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    }
  }
}
