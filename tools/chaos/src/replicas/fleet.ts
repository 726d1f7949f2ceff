import { APPS } from '../../../../apps/apps';
import { Replica } from '../replica';
import type { ChaosStack } from '../stack';
import { Service } from './service';

export interface FleetOptions {
  /** Returns how many replicas an app has. */
  readonly replicasOf: (app: string) => number;
  /** Added to the environment of each process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Added to the environment of an app's processes. */
  readonly envOf?: (app: string) => NodeJS.ProcessEnv;
  /** The port of the address in front of an app's replicas; that of the stack when left out. */
  readonly portOf?: (app: string) => number;
}

/** Describes how a replica was replaced by a new one. */
export interface Replacement {
  readonly app: string;
  /** The time until the new replica served requests, ms. */
  readonly startMs: number;
  /** The time from SIGTERM to the end of the old replica, ms. */
  readonly stopMs: number;
  /** The exit code of the old replica; null when it had to be killed. */
  readonly exitCode: number | null;
}

/** Runs every app as several processes behind one address. */
export class Fleet {
  private readonly services = new Map<string, Service>();
  private readonly replicas = new Map<string, Replica[]>();
  private readonly gone: Replica[] = [];
  private count = 0;

  private constructor(
    private readonly stack: ChaosStack,
    private readonly options: FleetOptions,
  ) {}

  /** @param stack a stack that runs no apps itself */
  static async start(stack: ChaosStack, options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(stack, options);
    for (const { name } of APPS) {
      fleet.services.set(name, await Service.open(options.portOf?.(name) ?? Number(new URL(stack.urlOf(name)).port)));
      fleet.replicas.set(name, []);
    }
    try {
      await Promise.all(
        APPS.flatMap(({ name }) => Array.from({ length: options.replicasOf(name) }, () => fleet.add(name))),
      );
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** Returns the replicas of an app that serve now, the oldest first. */
  replicasOf(app: string): readonly Replica[] {
    return this.replicas.get(app) ?? [];
  }

  /** Returns the port of the address in front of an app's replicas. */
  portOf(app: string): number {
    return Number(new URL((this.services.get(app) as Service).url).port);
  }

  /** How often replicas had to be restarted. */
  get crashes(): number {
    return [...this.gone, ...[...this.replicas.values()].flat()].reduce((sum, { starts }) => sum + starts - 1, 0);
  }

  /** Performs a rolling restart: for each replica of an app, a new one is ready before the old one is stopped. */
  async restart(app: string, onReplaced: (replacement: Replacement) => void): Promise<void> {
    for (const old of [...this.replicasOf(app)]) {
      const began = Date.now();
      await this.add(app);
      const startMs = Date.now() - began;
      const exitCode = await this.end(app, old);
      onReplaced({ app, startMs, stopMs: Date.now() - began - startMs, exitCode });
    }
  }

  /** Starts one more replica. Resolves when it receives requests. */
  async add(app: string, env: NodeJS.ProcessEnv = {}): Promise<Replica> {
    const { logFile, ...options } = this.stack.replicaOf(app, ++this.count);
    const replica = await Replica.start({
      ...options,
      logFile,
      env: { ...options.env, ...this.options.env, ...this.options.envOf?.(app), ...env },
    });
    this.replicas.get(app)?.push(replica);
    await this.services.get(app)?.add(replica);
    return replica;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.replicas].flatMap(([, replicas]) => replicas.map((replica) => replica.stop())));
    for (const service of this.services.values()) service.close();
  }

  /** Stops a replica. The service learns this from `/readyz`. */
  private async end(app: string, replica: Replica): Promise<number | null> {
    const exitCode = await replica.stop();
    this.services.get(app)?.remove(replica);
    this.replicas.set(
      app,
      this.replicasOf(app).filter((other) => other !== replica),
    );
    this.gone.push(replica);
    return exitCode;
  }
}
