import path from 'node:path';
import { Child, Cleanup } from '../processes/child';

export interface Arrivals {
  /** The time at which each `webhook-id` first arrived since the previous `take`, Unix ms with fractions. */
  readonly at: ReadonlyMap<string, number>;
  /** The times of arrival by the `oid` of the sale. Filled only if the sink was started with `withSales`. */
  readonly atBySale: ReadonlyMap<string, number>;
  /** The number of repeated requests since the previous `take`: requests whose `webhook-id` had arrived before. */
  readonly repeated: number;
}

interface Answer {
  count: number;
  repeated: number;
  arrivals?: { id: string; at: number; oid?: string }[];
}

const POLL_MS = 20;

/** The process that plays the partners' endpoints. */
export class Sink {
  private constructor(
    private readonly child: Child,
    readonly ports: readonly number[],
  ) {}

  /** Starts the endpoints. @param withSales whether to read the `oid` of the sale from each body */
  static async start(cleanup: Cleanup, endpoints: number, withSales = false): Promise<Sink> {
    const { child, ready } = await Child.start<{ ports: number[] }>({
      name: 'sink',
      file: path.join(__dirname, 'sink-main.js'),
      args: [String(endpoints), withSales ? 'sales' : ''],
    });
    cleanup.add(() => child.stop());
    return new Sink(child, ready.ports);
  }

  get pid(): number {
    return this.child.pid;
  }

  /** Makes one endpoint accept requests and never answer; null makes every endpoint answer again. */
  async hang(port: number | null): Promise<void> {
    await this.child.ask<Answer>({ hang: port });
  }

  /** Makes one endpoint answer only after this many milliseconds, from now on. */
  async slowDown(port: number, delayMs: number): Promise<void> {
    await this.child.ask<Answer>({ slow: { port, delayMs } });
  }

  /** Waits until this many different postbacks have arrived since the last `take`. @throws after the timeout */
  async waitFor(count: number, timeoutMs: number): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const { count: arrived } = await this.child.ask<Answer>({ count: true });
      if (arrived >= count) return;
      if (Date.now() > deadline) throw new Error(`${arrived} of ${count} postbacks arrived in ${timeoutMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** Returns the arrivals so far, and clears them. */
  async take(): Promise<Arrivals> {
    const { arrivals = [], repeated } = await this.child.ask<Answer>({ take: true });
    const at = new Map(arrivals.map((one) => [one.id, one.at]));
    return { at, atBySale: new Map(arrivals.map((one) => [one.oid ?? '', one.at])), repeated };
  }
}
