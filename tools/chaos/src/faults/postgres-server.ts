import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { inRepository } from '@tandem/stack-client';

interface Ready {
  readonly url: string;
  readonly pid: number;
}

/** One Postgres server as a process, which can be crashed and started again with the same data and port. */
export class PostgresServer {
  private child?: ChildProcess;
  private ready?: Ready;
  private port = 0;

  /**
   * @param folder the folder of the server, with its data in `data` and the superuser's password in the file `password`
   * @param settings as in postgresql.conf
   */
  constructor(
    readonly folder: string,
    private readonly logFile: string,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  get url(): string {
    if (!this.ready) throw new Error(`the server of ${this.folder} does not run`);
    return this.ready.url;
  }

  get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Starts the server, and resolves when it accepts connections.
   * @param extra settings for this start only
   * @throws when the server does not start; its log has the reason
   */
  async start(extra: Readonly<Record<string, string>> = {}): Promise<void> {
    const settings = Object.entries({ ...this.settings, ...extra }).map(([name, value]) => `${name}=${value}`);
    const log = openSync(this.logFile, 'a');
    const child = fork(inRepository('tools/postgres/postgres.mjs'), [this.folder, String(this.port), ...settings], {
      stdio: ['ignore', 'ignore', log, 'ipc'],
      execArgv: [],
      detached: true, // Ctrl-C reaches only this process, which ends the servers
    });
    closeSync(log);
    this.child = child;
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`Postgres did not start, see ${this.logFile}`))),
    ])) as [Ready];
    this.ready = message;
    this.port = Number(new URL(message.url).port);
  }

  /**
   * Sends a signal to the server and waits until it has ended. SIGKILL is a crash, SIGQUIT an immediate stop, SIGINT a
   * fast stop.
   */
  async end(signal: 'SIGKILL' | 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const { child, ready } = this;
    if (!child || !ready || !this.isRunning) return;
    const exited = once(child, 'exit');
    try {
      process.kill(ready.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    await exited;
  }
}
