import path from 'node:path';
import type { SignedWebhooks } from './signed-requests';
import { Child, Cleanup } from '../processes/child';

/** The requests that every connection sends. */
export interface Target {
  readonly url: string;
  /** The headers of each caller. The requests use them in turn. */
  readonly callers: readonly Record<string, string>[];
  /** The webhooks to send, each only once. If omitted, GET requests are sent. */
  readonly webhooks?: SignedWebhooks;
  /** The status that an answer must have; default: 200. */
  readonly status?: number;
}

/** The result of a few seconds of load. */
export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
  /** The 99th percentile of the time to an answer, ms. */
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

  /** Sends requests for a few seconds. @throws when an answer does not have the expected status */
  measure({ url, callers, status = 200, webhooks }: Target, seconds: number): Promise<Answered> {
    return this.child.ask({ url, callers, status, webhooks, connections: CONNECTIONS, seconds });
  }
}
