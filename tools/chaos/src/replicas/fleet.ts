import { APPS } from '../../../../apps/apps';
import { Replica } from '../replica';
import type { ChaosStack } from '../stack';
import { Service } from './service';

export interface FleetOptions {
  /** Returns how many replicas an app has. */
  readonly replicasOf: (app: string) => number;
  /** Variables that are added to the environment of each process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Returns the variables that are added to the environment of an app's processes. */
  readonly envOf?: (app: string) => NodeJS.ProcessEnv;
  /** Returns the port of the address in front of an app's replicas. If omitted, the app's port in the stack is used. */
  readonly portOf?: (app: string) => number;
  /** Returns the checkout whose build a new replica of an app runs. If omitted, this checkout. */
  readonly rootOf?: (app: string) => string;
}

/** Describes how a replica was replaced by a new one. */
export interface Replacement {
  readonly app: string;
  /** The time until the new replica served requests, ms. */
  readonly startMs: number;
  /** The time from SIGTERM to the end of the old replica, ms. */
  readonly stopMs: number;
}

/** Runs every app as several processes behind one address. */
export class Fleet {
  private readonly services = new Map<string, Service>();
  private readonly replicas = new Map<string, Replica[]>();
  private readonly gone: Replica[] = [];
  private count = 0;
  private killedCount = 0;

  private constructor(
    private readonly stack: ChaosStack,
    private readonly options: FleetOptions,
  ) {}

  /**
   * Starts all replicas.
   * @param stack a stack that does not run the apps itself
   * @throws when a replica does not start; all other replicas are then stopped
   */
  static async start(stack: ChaosStack, options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(stack, options);
    try {
      for (const { name } of APPS) {
        fleet.services.set(name, await Service.open(options.portOf?.(name) ?? Number(new URL(stack.urlOf(name)).port)));
        fleet.replicas.set(name, []);
      }
      const starting = APPS.flatMap(({ name }) =>
        Array.from({ length: options.replicasOf(name) }, () => fleet.add(name)),
      );
      await Promise.allSettled(starting); // a replica that is still starting cannot be stopped yet
      await Promise.all(starting);
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** Returns the replicas of an app, oldest first, without those that were replaced. */
  replicasOf(app: string): readonly Replica[] {
    return this.replicas.get(app) ?? [];
  }

  /** Returns the port of the address in front of an app's replicas. */
  portOf(app: string): number {
    return Number(new URL((this.services.get(app) as Service).url).port);
  }

  /** The number of replicas of all apps. */
  get size(): number {
    return this.serving.length;
  }

  /** How often replicas were restarted because they ended before they were stopped. */
  get crashes(): number {
    return [...this.gone, ...this.serving].reduce((sum, { starts }) => sum + starts - 1, 0);
  }

  /** How many replicas did not end cleanly when they were replaced. */
  get killed(): number {
    return this.killedCount;
  }

  /**
   * Performs a rolling restart: replaces each replica of an app. A new replica is ready before the old one is stopped.
   * @param bothMs how long the new replica and the old one serve at the same time, ms
   */
  async restart(app: string, onReplaced: (replacement: Replacement) => void, bothMs = 0): Promise<void> {
    for (const old of [...this.replicasOf(app)]) {
      const began = Date.now();
      await this.add(app);
      const startMs = Date.now() - began;
      await new Promise((resolve) => setTimeout(resolve, bothMs));
      const stopBegan = Date.now();
      await this.end(app, old);
      onReplaced({ app, startMs, stopMs: Date.now() - stopBegan });
    }
  }

  /** Starts one more replica of an app. Resolves when the replica receives requests. @param env added to its environment */
  async add(app: string, env: NodeJS.ProcessEnv = {}): Promise<Replica> {
    const options = this.stack.replicaOf(app, ++this.count, this.options.rootOf?.(app));
    const replica = await Replica.start({
      ...options,
      env: { ...options.env, ...this.options.env, ...this.options.envOf?.(app), ...env },
    });
    this.replicas.get(app)?.push(replica);
    await this.services.get(app)?.add(replica);
    return replica;
  }

  async stop(): Promise<void> {
    await Promise.all(this.serving.map((replica) => replica.stop()));
    for (const service of this.services.values()) service.close();
  }

  private get serving(): Replica[] {
    return [...this.replicas.values()].flat();
  }

  /** Stops a replica. The `Service` of the app notices this by the replica's `/readyz`, which no longer answers 200. */
  private async end(app: string, replica: Replica): Promise<void> {
    if ((await replica.stop()) !== 0) this.killedCount++;
    this.services.get(app)?.remove(replica);
    this.replicas.set(
      app,
      this.replicasOf(app).filter((other) => other !== replica),
    );
    this.gone.push(replica);
  }
}
