/** A request that is made again and again. */
export interface Operation {
  readonly name: string;
  /** @throws an error with what was wrong about the answer, or that there was none */
  run(): Promise<void>;
}

/** What came of an operation. */
export interface OperationCount {
  readonly name: string;
  requests: number;
  /** When and how requests failed. */
  readonly failures: string[];
}

/** Runs operations side by side, each one request at a time and at a steady pace, and counts what fails. Nothing is tried again. */
export class RequestLoad {
  readonly counts: OperationCount[];
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(private readonly operations: readonly Operation[]) {
    this.counts = operations.map(({ name }) => ({ name, requests: 0, failures: [] }));
  }

  /** @param everyMs from the beginning of a request to that of the next one, at least */
  start(everyMs: number): void {
    this.running = Promise.all(
      this.operations.map((operation, index) => this.repeat(operation, this.counts[index] as OperationCount, everyMs)),
    );
  }

  /** @returns when the last request of each operation is answered */
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
