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

/** How long a replica may take to end by itself. */
const STOP_MS = 60_000;

/** One of several processes of an app. The process is restarted at the same address whenever it ends. */
export class Replica {
  private child!: ChildProcess;
  private port = 0;
  private ready = false;
  private stopped = false;
  private startCount = 0;
  /** Variables for the next starts, beside those of the options. */
  private extraEnv: NodeJS.ProcessEnv = {};

  private constructor(private readonly options: ReplicaOptions) {}

  /** Resolves when it serves requests. @throws when its first start fails */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options);
    await replica.launch();
    return replica;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get state(): ProcessState {
    return { pid: this.child.pid as number, ready: this.ready };
  }

  /** The number of starts: 1 for a replica that never crashed. */
  get starts(): number {
    return this.startCount;
  }

  /** Suspends the process (SIGSTOP), like a machine that hangs. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  /** Lets the process continue. */
  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** Kills the process. It starts again by itself. @param env variables that its next starts have beside the usual ones */
  kill(env: NodeJS.ProcessEnv = {}): void {
    this.extraEnv = env;
    this.child.kill('SIGKILL');
  }

  /** Ends the process without a restart. @returns the exit code; null when it had to be killed */
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
      detached: true, // Ctrl-C reaches this process, which ends the replicas
    });
    closeSync(log);
    this.child = child;
    this.startCount++;
    child.once('exit', () => {
      this.ready = false;
      // A failed start is retried as well, because the database may just be starting.
      setTimeout(() => void (this.stopped || this.launch().catch(() => undefined)), 200);
    });
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended at its start, see ${logFile}`))),
    ])) as [{ url: string }];
    this.port = Number(new URL(message.url).port);
    this.ready = true;
  }
}
