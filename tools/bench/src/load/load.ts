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
    const load = { url, headers, connections: CONNECTIONS, seconds };
    return (await this.child.ask<{ perSecond: number }>(load)).perSecond;
  }
}
