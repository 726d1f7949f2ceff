import path from 'node:path';
import type { SignedWebhooks } from './signed-requests';
import { Child, Cleanup } from '../processes/child';

/** The requests that every connection sends. */
export interface Target {
  readonly url: string;
  /** The headers of each caller. Requests rotate among the callers. */
  readonly callers: readonly Record<string, string>[];
  /** Webhooks to send, each only once; without them, GET requests are sent. */
  readonly webhooks?: SignedWebhooks;
  /** The status of a successful answer; 200 when left out. */
  readonly status?: number;
}

/** The result of some seconds of load. */
export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
  /** The time within which 99 of 100 requests were answered, ms. */
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

  /** Sends requests for some seconds. @throws when an answer has another status */
  measure({ url, callers, status = 200, webhooks }: Target, seconds: number): Promise<Answered> {
    return this.child.ask({ url, callers, status, webhooks, connections: CONNECTIONS, seconds });
  }
}
