import path from 'node:path';
import type { SignedWebhooks } from './signed-requests';
import { Child, Cleanup } from '../processes/child';

/** The request of every connection. */
export interface Target {
  readonly url: string;
  /** The headers of each caller; the callers' requests are sent in turn. */
  readonly callers: readonly Record<string, string>[];
  /** Webhooks that are sent to it, none of them twice; left out, it is asked with GET. */
  readonly webhooks?: SignedWebhooks;
  /** Of a good answer; 200 when left out. */
  readonly status?: number;
}

/** The answers of some seconds. */
export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
  /** Within which 99 of 100 requests were answered, ms. */
  readonly p99Ms: number;
}

const CONNECTIONS = 50;

/** The process that plays the callers. */
export class Load {
  private constructor(private readonly child: Child) {}

  static async start(cleanup: Cleanup): Promise<Load> {
    const { child } = await Child.start({ name: 'load', file: path.join(__dirname, 'load-main.js') });
    cleanup.add(() => child.stop());
    return new Load(child);
  }

  /** Asks for some seconds. @throws when an answer has another status */
  measure({ url, callers, status = 200, webhooks }: Target, seconds: number): Promise<Answered> {
    return this.child.ask({ url, callers, status, webhooks, connections: CONNECTIONS, seconds });
  }
}
