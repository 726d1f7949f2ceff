import path from 'node:path';
import { Child, Cleanup } from '../processes/child';

/** What is asked for, by every connection. */
export interface Target {
  readonly url: string;
  readonly headers: Record<string, string>;
}

const CONNECTIONS = 50;

/** The process that plays the callers. */
export class Load {
  private constructor(private readonly child: Child) {}

  static async start(cleanup: Cleanup): Promise<Load> {
    const { child } = await Child.start({ name: 'load', file: path.join(__dirname, 'load.main.js') });
    cleanup.add(() => child.stop());
    return new Load(child);
  }

  /** Asks for some seconds. @returns requests answered in a second @throws when an answer is not 200 */
  async measure({ url, headers }: Target, seconds: number): Promise<number> {
    return (await this.ask({ url, headers }, seconds)).perSecond;
  }

  /** The same. @returns the time within which 99 of 100 requests were answered, ms */
  async measureP99(target: Target, seconds: number): Promise<number> {
    return (await this.ask(target, seconds)).p99Ms;
  }

  private ask(target: Target, seconds: number): Promise<{ perSecond: number; p99Ms: number }> {
    return this.child.ask({ ...target, connections: CONNECTIONS, seconds });
  }
}
