import { Injectable, Logger } from '@nestjs/common';
import { PostbackDispatcherConfig } from '../config';
import { AttemptClient } from '../attempt/attempt.client';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import { EndpointRepository } from '../endpoint-store/endpoint.repository';
import { EndpointSecrets } from '../endpoint-store/endpoint-secrets';
import { AttemptLog } from './attempt-log';
import { Configurations } from './configurations';
import { DeliveryQueue } from './delivery-queue';
import { endpointsInMemory } from './dispatch.metrics';
import { type DispatchPolicy, policyOf } from './dispatch-policy';
import { DueRepository } from './due.repository';
import { DueReads } from './due-reads';
import { EndpointHealth } from './endpoint-health';
import { EndpointWorker, type WorkerParts } from './endpoint.worker';
import { InFlightBudget } from './in-flight-budget';
import { MemoryBudget } from './memory-budget';
import { ResultWriter } from './result-writer';
import { Sender } from './sender';

/**
 * Manages the workers of this process. An endpoint in one of this process's shards has a worker while its deliveries are due or due soon,
 * and for a minute after that.
 */
@Injectable()
export class Workers {
  readonly policy: DispatchPolicy;
  private readonly logger = new Logger('dispatch');
  private readonly byEndpoint = new Map<string, EndpointWorker>();
  /** The versions of configurations that could not be decrypted, by endpoint id, so that each version is logged only once. */
  private readonly unusable = new Map<string, number>();
  private readonly memory: MemoryBudget;
  private readonly parts: WorkerParts;
  /** Returns whether this process's leases are valid at this moment. DispatchService replaces this function. */
  leasesHold: () => boolean = () => false;

  constructor(
    config: PostbackDispatcherConfig,
    client: AttemptClient,
    private readonly secrets: EndpointSecrets,
    private readonly endpoints: EndpointRepository,
    due: DueRepository,
    writer: ResultWriter,
  ) {
    this.policy = policyOf(config);
    this.memory = new MemoryBudget(config.POSTBACK_MEMORY_BYTES);
    const budget = new InFlightBudget(config.POSTBACK_IN_FLIGHT_MAX);
    const log = new AttemptLog(config.POSTBACK_LOG_SUCCESS_SAMPLE, config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined);
    this.parts = {
      sender: new Sender(client, writer, budget, log, () => this.leasesHold()),
      reads: new DueReads(this.memory),
      due,
      configurations: new Configurations(endpoints),
      horizonMs: this.policy.horizonMs,
    };
    writer.onResumed(() => this.resume());
  }

  find(endpointId: string): EndpointWorker | undefined {
    return this.byEndpoint.get(endpointId);
  }

  all(): EndpointWorker[] {
    return [...this.byEndpoint.values()];
  }

  ofShards(shards: readonly number[]): EndpointWorker[] {
    const wanted = new Set(shards);
    return this.all().filter(({ endpoint }) => wanted.has(endpoint.shard));
  }

  /**
   * Returns the endpoint's worker, and creates it if there is none. Returns undefined if the configuration cannot be used, for example
   * because its secrets cannot be decrypted.
   * @param shardEpoch the epoch of this process's ownership of the shard
   * @param readAt when the statement that read the endpoint began (`performance.now()`)
   */
  open(endpoint: Endpoint, shardEpoch: string, readAt: number): EndpointWorker | undefined {
    const known = this.byEndpoint.get(endpoint.id);
    if (known !== undefined) return known;
    try {
      const health = new EndpointHealth(shardEpoch, endpoint, this.secrets, this.policy);
      health.confirm(readAt);
      const worker = new EndpointWorker(endpoint, health, new DeliveryQueue(this.memory), this.parts);
      this.byEndpoint.set(endpoint.id, worker);
      endpointsInMemory.set(this.byEndpoint.size);
      this.unusable.delete(endpoint.id);
      return worker;
    } catch (error) {
      // An error with one endpoint's configuration must not affect other endpoints.
      this.logUnusable(endpoint, (error as Error).message);
      return undefined;
    }
  }

  /** Reads those of the given endpoints that have no worker, in one statement. */
  async readMissing(endpointIds: readonly string[]): Promise<Endpoint[]> {
    const missing = endpointIds.filter((id) => !this.byEndpoint.has(id));
    return missing.length === 0 ? [] : this.endpoints.findByIds(missing);
  }

  /** Requests a check whether newer configurations are stored for the endpoints with a worker. */
  checkConfigurations(): void {
    this.parts.configurations.request(this.byEndpoint.values());
  }

  /** Lets every worker start the requests and reads that are possible now. */
  resume(): void {
    for (const worker of this.byEndpoint.values()) worker.proceed();
  }

  forget(worker: EndpointWorker): void {
    if (this.byEndpoint.get(worker.endpoint.id) === worker) this.byEndpoint.delete(worker.endpoint.id);
    endpointsInMemory.set(this.byEndpoint.size);
    void worker.drain();
  }

  private logUnusable({ id: endpointId, configVersion }: Endpoint, reason: string): void {
    if (this.unusable.get(endpointId) === configVersion) return;
    this.unusable.set(endpointId, configVersion);
    this.logger.error({ msg: 'endpoint unusable', endpointId, reason });
  }
}
