import path from 'node:path';
import { Child, Cleanup } from '../processes/child';
import type { Sent } from './generator-main';
import type { Preparation } from './purchases';

/** How long sending all purchases of a run may take. */
const RUN_MS = 600_000;

/** How purchases are sent: with a fixed number of webhooks in flight, or at a rate per second. */
export type Pace = { readonly inFlight: number } | { readonly perSecond: number };

export interface Sending {
  readonly sent: readonly Sent[];
  /** The number of answers with 503. After each of them, the webhook was sent again. */
  readonly refused: number;
}

/** The process that plays the billing provider. */
export class Generator {
  private constructor(private readonly child: Child) {}

  static async start(cleanup: Cleanup): Promise<Generator> {
    const { child } = await Child.start({ name: 'generator', file: path.join(__dirname, 'generator-main.js') });
    cleanup.add(() => child.stop());
    return new Generator(child);
  }

  get pid(): number {
    return this.child.pid;
  }

  async prepare(preparation: Preparation): Promise<void> {
    await this.child.ask({ prepare: preparation });
  }

  /**
   * Sends the prepared purchases until each webhook is answered with 200.
   * @throws for an answer that is neither 200 nor 503, for a connection that ends early, and after 10 minutes
   */
  send(pace: Pace): Promise<Sending> {
    return this.child.ask<Sending>(pace, RUN_MS);
  }
}
