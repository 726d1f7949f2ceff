import { Injectable, Logger } from '@nestjs/common';
import { isDeliveryId, ReplayPostbackDeliveries } from '@tandem/contracts';
import { isRetryableConflict } from '@tandem/database';
import { ValidationFailedError } from '@tandem/service-defaults';
import { PostbackDispatcherConfig } from '../config';
import { retentionStart } from '../delivery/partition.rules';
import { WakeNotifier } from '../dispatch/wake.notifier';
import { PostbackNotConfiguredError } from '../endpoint/endpoint.errors';
import { EndpointRepository } from '../endpoint/endpoint.repository';
import type { Caller } from './caller.decorator';
import { DeliveryNotFoundError, PostbackDisabledError } from './delivery-log.errors';
import { rangeOf, ReplayRange } from './delivery-log.rules';
import { Replayed, ReplayRepository } from './replay.repository';

/** A deadlock with another replay of the same deliveries ends by itself; more often than so it is a fault. */
const MAX_TRIES = 4;

/** Sends deliveries again, whatever became of them: under the same `webhook-id`, to the configuration of now. */
@Injectable()
export class ReplayService {
  private readonly logger = new Logger('replay');

  constructor(
    private readonly replays: ReplayRepository,
    private readonly endpoints: EndpointRepository,
    private readonly wakeups: WakeNotifier,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /** @throws DeliveryNotFoundError, PostbackNotConfiguredError, PostbackDisabledError */
  async replayDelivery(caller: Caller, id: string): Promise<void> {
    const since = this.retentionStart();
    if (!isDeliveryId(id) || !(await this.replays.isKnown(caller, id, since))) throw new DeliveryNotFoundError();
    const endpointId = await this.getEnabledEndpoint(caller);
    const { count } = await this.replay(endpointId, () => this.replays.replayOne(endpointId, caller, id, since));
    // It has become too old since.
    if (count === 0) throw new DeliveryNotFoundError();
    this.logger.log({ msg: 'delivery.replayed', deliveryId: id, ...caller });
  }

  /**
   * All deliveries of the range, or none.
   * @returns how many
   * @throws ValidationFailedError, PostbackNotConfiguredError, PostbackDisabledError
   */
  async replayRange(caller: Caller, body: ReplayPostbackDeliveries): Promise<number> {
    const range = this.readRange(body);
    const endpointId = await this.getEnabledEndpoint(caller);
    const max = this.config.POSTBACK_REPLAY_MAX;
    if ((await this.replays.countRange(caller, range, max + 1)) > max) {
      throw new ValidationFailedError([
        { field: 'to', message: `to must be earlier: there are more than ${max} deliveries to send in the range` },
      ]);
    }
    const { count } = await this.replay(endpointId, () => this.replays.replayRange(endpointId, caller, range));
    this.logger.log({ msg: 'range.replayed', count, from: range.from, to: range.to, ...caller });
    return count;
  }

  private readRange(body: ReplayPostbackDeliveries): ReplayRange {
    const range = rangeOf(body, this.config.POSTBACK_RETENTION_DAYS);
    if (Array.isArray(range)) throw new ValidationFailedError(range);
    const since = this.retentionStart();
    return range.from < since ? { ...range, from: since } : range;
  }

  /** What is replayed to one that is disabled right after this is held again, as every other delivery. */
  private async getEnabledEndpoint({ partnerId, environment }: Caller): Promise<string> {
    const endpoint = await this.endpoints.find(partnerId, environment);
    if (endpoint === null) throw new PostbackNotConfiguredError();
    if (endpoint.status === 'disabled') throw new PostbackDisabledError();
    return endpoint.id;
  }

  private async replay(endpointId: string, work: () => Promise<Replayed>): Promise<Replayed> {
    const replayed = await retried(work);
    if (replayed.count > 0) this.wakeups.due(endpointId, replayed.owner);
    return replayed;
  }

  private retentionStart(): Date {
    return retentionStart(new Date(), this.config.POSTBACK_RETENTION_DAYS);
  }
}

async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_TRIES || !isRetryableConflict(error)) throw error;
    }
  }
}
