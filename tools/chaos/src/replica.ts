import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { ProcessState } from './killer';

export interface ReplicaOptions {
  /** The app's main file. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

/** How long a replica may take to end after SIGTERM, before it is killed. */
const STOP_MS = 60_000;

/** One of several processes of an app. Until `stop` is called, a process that ends is restarted at the same address. */
export class Replica {
  private child!: ChildProcess;
  private port = 0;
  private ready = false;
  private stopped = false;
  private startCount = 0;
  /** Variables for the next starts, in addition to those of the options. */
  private extraEnv: NodeJS.ProcessEnv = {};

  private constructor(private readonly options: ReplicaOptions) {}

  /**
   * Starts the replica, and resolves when it serves requests. @throws when the first start fails; the replica is then
   * not restarted
   */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options);
    try {
      await replica.launch();
      return replica;
    } catch (error) {
      replica.stopped = true; // otherwise it would be started again
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get state(): ProcessState {
    return { pid: this.child.pid as number, ready: this.ready };
  }

  /** The number of starts: 1 if the process has never ended. */
  get starts(): number {
    return this.startCount;
  }

  /** Suspends the process (SIGSTOP), like a machine that hangs. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  /** Lets a suspended process continue. */
  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /**
   * Kills the process, which is then restarted.
   * @param env variables for the next starts, in addition to the usual ones
   */
  kill(env: NodeJS.ProcessEnv = {}): void {
    this.extraEnv = env;
    this.child.kill('SIGKILL');
  }

  /** Stops the process for good: kills it if SIGTERM does not end it. @returns the exit code; null if a signal ended it */
  async stop(): Promise<number | null> {
    this.stopped = true;
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await once(child, 'exit');
    clearTimeout(late);
    return child.exitCode;
  }

  private async launch(): Promise<void> {
    const { file, env, logFile } = this.options;
    const log = openSync(logFile, 'a');
    const child = fork(file, {
      env: { ...env, ...this.extraEnv, PORT: String(this.port) },
      stdio: ['ignore', log, log, 'ipc'],
      detached: true, // Ctrl-C reaches only this process, which ends the replicas
    });
    closeSync(log);
    this.child = child;
    this.startCount++;
    child.once('exit', () => {
      this.ready = false;
      // A failed start is retried too, because the database may still be starting.
      setTimeout(() => void (this.stopped || this.launch().catch(() => undefined)), 200);
    });
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended while it started, see ${logFile}`))),
    ])) as [{ url: string }];
    this.port = Number(new URL(message.url).port);
    this.ready = true;
  }
}
