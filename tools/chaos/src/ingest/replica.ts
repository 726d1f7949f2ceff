import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { ProcessState } from '../killer';

export interface ReplicaOptions {
  /** The app's main file. */
  readonly file: string;
  /** The environment of the app's first process. */
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

/** A second process of an app, that is started again whenever it ends, at the same address. */
export class Replica {
  private child!: ChildProcess;
  private port = 0;
  private ready = false;
  private stopped = false;

  private constructor(private readonly options: ReplicaOptions) {}

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

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }

  private async launch(): Promise<void> {
    const { file, env, logFile } = this.options;
    const log = openSync(logFile, 'a');
    const child = fork(file, { env: { ...env, PORT: String(this.port) }, stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    this.child = child;
    child.once('exit', () => {
      this.ready = false;
      // A start that fails is tried again as well: the database may just be starting.
      setTimeout(() => void (this.stopped || this.launch().catch(() => undefined)), 200);
    });
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error('the second webhook-ingest ended at its start'))),
    ])) as [{ url: string }];
    this.port = Number(new URL(message.url).port);
    this.ready = true;
  }
}
