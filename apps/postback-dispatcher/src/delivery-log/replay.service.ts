import { Injectable, Logger } from '@nestjs/common';
import {
  type Caller,
  type CountPostbackReplay,
  DeliveryNotFoundError,
  type DeliveryStatus,
  isDeliveryId,
  PostbackDisabledError,
  PostbackNotConfiguredError,
  ReplayPostbackDeliveries,
  SaleClosedError,
} from '@tandem/internal-api';
import { ValidationFailedError } from '@tandem/http-api';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostbackDispatcherConfig } from '../config';
import { retentionStart } from '../delivery/partition.rules';
import { DispatchService } from '../dispatch/dispatch.service';
import type { Endpoint } from '../endpoint-store/endpoint.entity';
import { EndpointRepository } from '../endpoint-store/endpoint.repository';
import { rangeOf, ReplayRange } from './delivery-log.rules';
import { ReplayPosition, ReplayRepository } from './replay.repository';

/** How many deliveries one transaction replays. The number is small, so that the locks do not noticeably delay other transactions. */
const PART = 200;
/** The pause after each part, as a multiple of the part's duration. During the pause, the database has capacity for other work. */
const REST = 0.25;
/** How many times the replay of locked deliveries is tried, with LOCKED_PAUSE_MS before each try. */
const LOCKED_TRIES = 20;
const LOCKED_PAUSE_MS = 50;

/**
 * Sends deliveries again on request, whatever their status, except the postbacks of closed sales. The deliveries keep their `webhook-id`,
 * and are sent with the current configuration.
 */
@Injectable()
export class ReplayService {
  private readonly logger = new Logger('replay');

  constructor(
    private readonly replays: ReplayRepository,
    private readonly endpoints: EndpointRepository,
    private readonly dispatch: DispatchService,
    private readonly config: PostbackDispatcherConfig,
  ) {}

  /** @throws DeliveryNotFoundError, SaleClosedError, PostbackNotConfiguredError, PostbackDisabledError, DeadlineExceededError */
  async replayDelivery(caller: Caller, id: string): Promise<void> {
    const since = this.retentionStart();
    await this.checkReplayable(caller, id, since);
    const endpoint = await this.getEnabledEndpoint(caller);
    if ((await this.replays.replayOne(endpoint.id, caller, id, since)) === 0) {
      await this.checkReplayable(caller, id, since);
      // This case is not expected: the checks before and after `replayOne` found the delivery, and its sale was not closed. But nothing was
      // replayed, so a 202 would be wrong.
      throw new DeliveryNotFoundError();
    }
    this.dispatch.wake(endpoint);
    this.logger.log({ msg: 'delivery.replayed', deliveryId: id, ...caller });
  }

  private async checkReplayable(caller: Caller, id: string, since: Date): Promise<void> {
    const delivery = isDeliveryId(id) ? await this.replays.find(caller, id, since) : null;
    if (delivery === null) throw new DeliveryNotFoundError();
    if (delivery.closedBy !== null) throw new SaleClosedError();
  }

  /**
   * Counts the deliveries that `replayRange` would send now, and sends nothing. The endpoint may be missing or disabled: the caller wants
   * to know the number before it saves or enables the endpoint.
   * @throws ValidationFailedError
   */
  async countReplay(caller: Caller, query: CountPostbackReplay): Promise<number> {
    return (await this.countRange(caller, this.readRange(query))).count;
  }

  /**
   * Replays the deliveries of the range, part by part. If the request runs out of time, some of the deliveries may have been replayed. A
   * repeated request replays the deliveries that then have one of the wanted statuses.
   * @returns the number of replayed deliveries
   * @throws ValidationFailedError, PostbackNotConfiguredError, PostbackDisabledError, DeadlineExceededError
   */
  async replayRange(caller: Caller, body: ReplayPostbackDeliveries): Promise<number> {
    const range = this.readRange(body);
    const endpoint = await this.getEnabledEndpoint(caller);
    const { now } = await this.countRange(caller, range);
    let count = 0;
    for (const status of range.statuses) count += await this.replayStatus(endpoint, caller, range, status, now);
    this.logger.log({ msg: 'range.replayed', count, from: range.from, to: range.to, ...caller });
    return count;
  }

  private async replayStatus(
    endpoint: Endpoint,
    caller: Caller,
    range: ReplayRange,
    status: DeliveryStatus,
    begunAt: Date,
  ): Promise<number> {
    let count = 0;
    const locked: string[] = [];
    for (let after: ReplayPosition | null = null; ;) {
      const startedAt = performance.now();
      const part = await this.replays.replayPart(endpoint.id, caller, range, { status, begunAt, limit: PART, after });
      count += part.count;
      locked.push(...part.locked);
      if (part.count > 0) this.dispatch.wake(endpoint);
      if (part.last === null) break;
      after = part.last;
      await sleep(REST * (performance.now() - startedAt));
    }
    return count + (await this.replayLocked(endpoint, range, status, begunAt, locked));
  }

  /**
   * Tries up to LOCKED_TRIES times to replay deliveries that were locked. If a lock lasts longer, the delivery is not replayed.
   */
  private async replayLocked(
    endpoint: Endpoint,
    range: ReplayRange,
    status: DeliveryStatus,
    begunAt: Date,
    ids: readonly string[],
  ): Promise<number> {
    let count = 0;
    for (let tries = 0, left = ids; left.length > 0 && tries < LOCKED_TRIES; tries++) {
      await sleep(LOCKED_PAUSE_MS);
      const part = await this.replays.replayLocked(endpoint.id, left, range, { status, begunAt });
      count += part.count;
      left = part.locked;
    }
    if (count > 0) this.dispatch.wake(endpoint);
    return count;
  }

  /**
   * Counts the deliveries that a replay of the range would send. @throws ValidationFailedError when there are more than POSTBACK_REPLAY_MAX
   */
  private async countRange(caller: Caller, range: ReplayRange): Promise<{ count: number; now: Date }> {
    const max = this.config.POSTBACK_REPLAY_MAX;
    const counted = await this.replays.countRange(caller, range, max + 1);
    if (counted.count <= max) return counted;
    throw new ValidationFailedError([
      { field: 'to', message: `to must be earlier: there are more than ${max} deliveries to send in the range` },
    ]);
  }

  private readRange(body: ReplayPostbackDeliveries): ReplayRange {
    const range = rangeOf(body, this.config.POSTBACK_RETENTION_DAYS);
    if (Array.isArray(range)) throw new ValidationFailedError(range);
    const since = this.retentionStart();
    return range.from < since ? { ...range, from: since } : range;
  }

  /**
   * Returns the endpoint if it is enabled. If it is disabled right after this check, the replayed deliveries are held like its other
   * pending deliveries.
   */
  private async getEnabledEndpoint({ partnerId, environment }: Caller): Promise<Endpoint> {
    const endpoint = await this.endpoints.findForWorker(partnerId, environment);
    if (endpoint === null) throw new PostbackNotConfiguredError();
    if (endpoint.status === 'disabled') throw new PostbackDisabledError();
    return endpoint;
  }

  private retentionStart(): Date {
    return retentionStart(new Date(), this.config.POSTBACK_RETENTION_DAYS);
  }
}
