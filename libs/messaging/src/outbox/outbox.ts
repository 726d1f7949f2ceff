import type { EventDefinition } from '@tandem/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events.options';
import { assertValidData, encodeEvent } from '../wire/cloud-event';
import { continueTrace, currentTraceparent } from '../wire/trace';
import { isUuid, newEventId } from '../wire/uuid';
import { insertOutboxRows, type NewOutboxRow } from './outbox.repository';
import { OutboxRelay } from './outbox-relay';

export interface AddOptions {
  /** Version of the entity after this change: `EntityVersions.advance` at the consumer skips what is older. */
  version?: number;
  /** A UUID, when the event must be the same one however often it is made. Default: a new one. */
  id?: string;
}

export interface AddManyOptions {
  /**
   * Whether the data is made of values that were checked when they came in. Checking a whole batch again costs more than
   * everything else that is done for its events; consumers check what they get in any case.
   */
  trusted?: boolean;
}

/** An event that no broker would take. */
export class EventTooLargeError extends Error {
  readonly code = 'event_too_large';

  constructor(topic: string, bytes: number) {
    super(`an event of ${topic} has ${bytes} bytes: at most ${MAX_EVENT_BYTES} can be published`);
    this.name = 'EventTooLargeError';
  }
}

/** A broker takes batches of 1 MiB by default, headers included. */
export const MAX_EVENT_BYTES = 900_000;

/**
 * The only way to publish: a row and its event are saved together or not at all. The relay sends what was committed.
 *
 *     await this.outbox.transaction(async (manager) => {
 *       await this.sales.save(manager, sale);
 *       await this.outbox.add(manager, SALE_COMPLETED, toEvent(sale), { version: sale.version });
 *     });
 */
@Injectable()
export class Outbox {
  /** Transactions (by their query runner) that hold events which the relay has not been told of. */
  private readonly added = new WeakSet<object>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly relay: OutboxRelay,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  /** Runs `work` in a transaction, and wakes the relay after its commit when events were added. */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    let wake = false;
    const result = await this.dataSource.transaction(async (manager) => {
      const value = await work(manager);
      wake = this.takeAdded(manager);
      return value;
    });
    if (wake) this.relay.wake();
    return result;
  }

  /**
   * Adds an event to the transaction of `manager`.
   *
   * @throws InvalidEventDataError when the definition's class refuses the data, EventTooLargeError: mistakes of the caller
   */
  async add<T extends object>(
    manager: EntityManager,
    event: EventDefinition<T>,
    data: T,
    options: AddOptions = {},
  ): Promise<void> {
    assertValidData(event as unknown as EventDefinition<object>, data);
    await this.insert(manager, [this.rowFor(event, data, options)]);
  }

  /**
   * Adds many events of one kind, in order, by one statement.
   *
   * @throws as `add`; a trusted batch is not checked
   */
  async addMany<T extends object>(
    manager: EntityManager,
    event: EventDefinition<T>,
    data: readonly T[],
    { trusted = false }: AddManyOptions = {},
  ): Promise<void> {
    if (!trusted) for (const one of data) assertValidData(event as unknown as EventDefinition<object>, one);
    await this.insert(
      manager,
      data.map((one) => this.rowFor(event, one, {})),
    );
  }

  /** Tells the relay that there is something to send, after a commit that was not `transaction`'s. It would find it anyway. */
  wake(): void {
    this.relay.wake();
  }

  /** Whether events were added to the transaction of `manager` since the last call. */
  takeAdded(manager: EntityManager): boolean {
    return manager.queryRunner !== undefined && this.added.delete(manager.queryRunner);
  }

  private async insert(manager: EntityManager, rows: readonly NewOutboxRow[]): Promise<void> {
    await insertOutboxRows(manager, rows);
    if (manager.queryRunner) this.added.add(manager.queryRunner);
  }

  private rowFor<T extends object>(event: EventDefinition<T>, data: T, { id, version }: AddOptions): NewOutboxRow {
    const definition = event as unknown as EventDefinition<object>;
    if (id !== undefined && !isUuid(id)) throw new TypeError(`an event id must be a UUID, not "${id}"`);
    if (version !== undefined && (!Number.isSafeInteger(version) || version < 0))
      throw new TypeError(`an event version must be a whole number from 0 on, not ${version}`);
    const key = event.keyOf(data);
    if (!key) throw new TypeError(`an event of ${event.topic} has no key`);
    const eventId = id ?? newEventId();
    const message = encodeEvent(this.options.app, definition, data, {
      id: eventId,
      key,
      version,
      occurredAt: new Date().toISOString(),
      traceparent: continueTrace(currentTraceparent()),
    });
    if (message.value.length > MAX_EVENT_BYTES) throw new EventTooLargeError(event.topic, message.value.length);
    return { ...message, eventId };
  }
}
