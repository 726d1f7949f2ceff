import { BeforeApplicationShutdown, Injectable, Logger, OnApplicationBootstrap } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { PostbackDispatcherConfig } from '../config';
import type { Endpoint } from '../endpoint/endpoint.entity';
import { EndpointSecrets } from '../endpoint/endpoint.secrets';
import { endpointsOwned } from './dispatch.metrics';
import { dispatchPolicyOf } from './dispatch.policy';
import { DispatchTools } from './dispatch.tools';
import type { DueDelivery, Lease } from './dispatch.types';
import { EndpointHealth } from './endpoint-health';
import { EndpointWorker, WorkerTools } from './endpoint.worker';
import { InFlightBudget } from './in-flight-budget';
import { LeaseHolder, LeaseKeeper } from './lease.keeper';
import { ClaimedEndpoint, LeaseRepository } from './lease.repository';
import { ResultWriter } from './result.writer';
import { WakeMessage, WakeNotifier } from './wake.notifier';

/** Who is to send to an endpoint, as the transaction that added a delivery to it found or made it. */
export interface Ownership {
  readonly leaseOwner: string | null;
  readonly leaseEpoch: string;
  readonly breakerLevel: number;
  /** When the statement began, by `performance.now()`. */
  readonly askedAt: number;
}

const WRITE_WAIT_MS = 25;
const WRITE_BATCH = 1_000;

/** The share of SHUTDOWN_TIMEOUT_MS that requests in flight get to finish in. */
const FINISH_SHARE = 0.6;

/** Owns endpoints on behalf of this process, one worker for each. */
@Injectable()
export class DispatchService implements LeaseHolder, OnApplicationBootstrap, BeforeApplicationShutdown {
  /** This run of this process. */
  readonly replicaId = randomUUID();
  private readonly logger = new Logger('dispatch');
  private readonly policy = dispatchPolicyOf(this.config);
  private readonly workers = new Map<string, EndpointWorker>();
  private readonly keeper: LeaseKeeper;
  private readonly writer: ResultWriter;
  private readonly tools: WorkerTools;
  private running = false;

  constructor(
    private readonly config: PostbackDispatcherConfig,
    private readonly leaseRepository: LeaseRepository,
    private readonly wakeups: WakeNotifier,
    private readonly secrets: EndpointSecrets,
    shared: DispatchTools,
  ) {
    const batch = { waitMs: WRITE_WAIT_MS, batchMax: WRITE_BATCH };
    this.writer = new ResultWriter(shared.results, this.replicaId, batch, () => this.resumeAll());
    const times = { leaseMs: config.POSTBACK_LEASE_MS, pollMs: config.POSTBACK_POLL_MS };
    this.keeper = new LeaseKeeper(this.replicaId, leaseRepository, times, this);
    this.tools = {
      replicaId: this.replicaId,
      lingerMs: config.POSTBACK_LEASE_LINGER_MS,
      logsSuccess: config.LOG_LEVEL === 'debug' || config.LOG_LEVEL === 'trace',
      due: shared.due,
      leases: leaseRepository,
      client: shared.client,
      writer: this.writer,
      budget: new InFlightBudget(config.POSTBACK_IN_FLIGHT_MAX),
      findEndpoint: (id) => shared.endpoints.findById(id),
      ended: (worker) => this.forget(worker),
    };
  }

  onApplicationBootstrap(): void {
    this.running = true;
    this.wakeups.onMessage((message) => this.received(message));
    this.keeper.start();
  }

  /** Finishes what is in flight, and gives every lease back, so that other replicas go on at once. */
  async beforeApplicationShutdown(): Promise<void> {
    this.running = false;
    this.keeper.stop();
    const workers = [...this.workers.values()];
    const finished = Promise.all(workers.map((worker) => worker.leave())).then(() => this.writer.drained());
    await within(finished, this.config.SHUTDOWN_TIMEOUT_MS * FINISH_SHARE);
    for (const worker of workers) worker.abandon();
    this.writer.abandon();
    await this.tools.client.close();
    try {
      await this.release(workers);
      await this.leaseRepository.forgetReplica(this.replicaId);
    } catch (error) {
      this.logger.warn({
        msg: 'leases end by themselves: they could not be released',
        reason: (error as Error).message,
      });
    }
  }

  /** Whether this process may become the owner of another endpoint. */
  get takesLeases(): boolean {
    return this.running && !this.writer.paused;
  }

  leases(): Lease[] {
    return [...this.workers.values()].map(({ lease }) => lease);
  }

  /** After the commit of a delivery: hands it over in memory, or wakes whoever owns its endpoint. */
  added(endpoint: Endpoint, delivery: DueDelivery, { leaseOwner, leaseEpoch, breakerLevel, askedAt }: Ownership): void {
    if (leaseOwner !== this.replicaId || !this.running) {
      if (leaseOwner === null) this.claimOrWake(endpoint.id);
      this.wakeups.due(endpoint.id, leaseOwner === this.replicaId ? null : leaseOwner);
      return;
    }
    const worker = this.workers.get(endpoint.id);
    if (worker !== undefined && BigInt(worker.lease.epoch) >= BigInt(leaseEpoch)) {
      worker.handOver(delivery, endpoint, askedAt);
      return;
    }
    const lease = { endpointId: endpoint.id, epoch: leaseEpoch };
    const fresh = this.addWorker(lease, endpoint, breakerLevel, this.keeper.confirmedUntil(askedAt));
    fresh.handOver(delivery, endpoint, askedAt);
  }

  claimed({ lease, endpoint, breakerLevel }: ClaimedEndpoint, confirmedUntil: number): void {
    if (this.running) this.addWorker(lease, endpoint, breakerLevel, confirmedUntil).resume();
  }

  renewed(asked: readonly Lease[], renewedIds: ReadonlySet<string>, confirmedUntil: number): void {
    for (const lease of asked) {
      const worker = this.workers.get(lease.endpointId);
      if (worker?.lease !== lease) continue;
      if (renewedIds.has(lease.endpointId)) worker.confirm(confirmedUntil);
      else this.forget(worker);
    }
  }

  shed(count: number): void {
    const workers = [...this.workers.values()].slice(0, count);
    for (const worker of workers) {
      void worker.leave().then(async () => {
        await this.release([worker]).catch((error: Error) => {
          this.logger.warn({ msg: 'a lease ends by itself: it could not be released', reason: error.message });
        });
        this.forget(worker);
      });
    }
  }

  private addWorker(lease: Lease, endpoint: Endpoint, breakerLevel: number, confirmedUntil: number): EndpointWorker {
    const before = this.workers.get(lease.endpointId);
    if (before !== undefined) this.forget(before);
    const health = new EndpointHealth(lease, endpoint, breakerLevel, this.secrets, this.policy);
    const worker = new EndpointWorker(lease, health, confirmedUntil, this.tools);
    this.workers.set(lease.endpointId, worker);
    endpointsOwned.set(this.workers.size);
    return worker;
  }

  private forget(worker: EndpointWorker): void {
    if (this.workers.get(worker.lease.endpointId) === worker) this.workers.delete(worker.lease.endpointId);
    endpointsOwned.set(this.workers.size);
    void worker.leave();
  }

  private async release(workers: readonly EndpointWorker[]): Promise<void> {
    if (workers.length === 0) return;
    const leases = workers.map(({ lease }) => lease);
    await this.leaseRepository.release(this.replicaId, leases);
    this.wakeups.due((leases[0] as Lease).endpointId, null);
  }

  private received({ kind, endpointId, owner }: WakeMessage): void {
    if (!this.running) return;
    const worker = this.workers.get(endpointId);
    if (kind === 'changed') {
      if (worker === undefined) this.keeper.claimSoon();
      else worker.configurationChanged();
    } else if (owner === this.replicaId) worker?.wake();
    else if (owner === null) this.claimOrWake(endpointId);
  }

  /** Nobody seemed to own the endpoint. Of two that add to a free one at once, the slower cannot see that the other took it. */
  private claimOrWake(endpointId: string): void {
    this.workers.get(endpointId)?.wake();
    this.keeper.claimSoon();
  }

  private resumeAll(): void {
    for (const worker of this.workers.values()) worker.resume();
  }
}

/** Waits for a promise, but no longer than that. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
