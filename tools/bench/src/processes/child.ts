import { ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import path from 'node:path';

/** The workspace's folder. */
export const ROOT = path.resolve(__dirname, '../../../..');

const STOP_MS = 15_000;
const READY_MS = 120_000;
const KEPT_LINES = 30;

export interface ChildOptions {
  readonly name: string;
  readonly file: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The file for the program's output. With a file, this process spends no time on reading the output from a pipe. */
  readonly logFile?: string;
  readonly nodeArguments?: readonly string[];
}

/** A forked program that reports when it is ready. The program must end when the channel to this process closes. */
export class Child {
  private readonly output: string[] = [];

  private constructor(
    readonly name: string,
    private readonly child: ChildProcess,
    private readonly logFile?: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.output.push(line);
        if (this.output.length > KEPT_LINES) this.output.shift();
      });
    }
  }

  /**
   * Starts a program and waits until it is ready.
   * @throws with the program's last lines when it ends or does not become ready in time
   */
  static async start<Ready>(options: ChildOptions): Promise<{ child: Child; ready: Ready }> {
    const output = options.logFile === undefined ? 'pipe' : openSync(options.logFile, 'a');
    const process_ = fork(options.file, [...(options.args ?? [])], {
      env: { ...process.env, ...options.env },
      execArgv: [...(options.nodeArguments ?? [])],
      // The program has its own session, so that Ctrl-C reaches only the benchmark, which then ends its programs in the
      // right order.
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    });
    if (output !== 'pipe') closeSync(output);
    const child = new Child(options.name, process_, options.logFile);
    try {
      return { child, ready: await child.next<Ready>() };
    } catch (error) {
      process_.kill('SIGKILL');
      throw error;
    }
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /**
   * Sends the program a request over the channel.
   * @throws with the program's last lines when it ends, or does not answer in time
   */
  ask<Answer>(question: object, timeoutMs = READY_MS): Promise<Answer> {
    this.child.send(question);
    return this.next<Answer>(timeoutMs);
  }

  /** Returns the last lines that the program printed. @param isWanted selects the lines */
  lastLines(count = KEPT_LINES, isWanted: (line: string) => boolean = () => true): string[] {
    const isInFile = this.logFile !== undefined && existsSync(this.logFile);
    const lines = isInFile ? readFileSync(this.logFile, 'utf8').trimEnd().split('\n') : this.output;
    return lines.filter(isWanted).slice(-count);
  }

  /** Ends the program, by force if necessary. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    const hard = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    this.child.kill('SIGTERM');
    await gone;
    clearTimeout(hard);
  }

  private async next<Answer>(timeoutMs = READY_MS): Promise<Answer> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    try {
      const message = once(this.child, 'message', { signal: over.signal }).then(([answer]) => answer as Answer);
      const ended = once(this.child, 'exit', { signal: over.signal }).then(([code, signal]) => {
        throw this.failure(`ended (${String(code ?? signal)})`);
      });
      for (const promise of [message, ended]) promise.catch(() => undefined);
      return await Promise.race([message, ended]);
    } catch (error) {
      throw (error as Error).name === 'AbortError' ? this.failure('did not answer in time') : error;
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  }

  private failure(what: string): Error {
    return new Error(`${this.name} ${what}:\n${this.lastLines().join('\n')}`);
  }
}

/** Collects what must be ended, and ends it in reverse order, even when a measurement fails or is interrupted. */
export class Cleanup {
  private readonly steps: (() => Promise<unknown>)[] = [];

  add(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.steps.splice(0).reverse()) {
      await step().catch((error: Error) => console.error(error.message));
    }
  }
}
