import type { EventDefinition } from '@tandem/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { runnerOf } from '@tandem/database';
import { DataSource, type EntityManager } from 'typeorm';
import { EVENTS_OPTIONS, type ResolvedEventsOptions } from '../events-options';
import { assertValidData, encodeEvent } from '../wire/cloud-event';
import { traceparentOr } from '@tandem/tracing';
import { isUuid, newEventId } from '../wire/uuid';
import { type Insertion, insertOutboxRows, insertWithOutboxRows, type NewOutboxRow } from './outbox.repository';
import { OutboxRelay } from './outbox-relay';

export interface AddOptions {
  /** Version of the entity after this change, for consumers that must determine which of two events is newer. */
  readonly version?: number;
  /** The event's id, a UUID. Set it if a repeated call must add the same event. Default: a new id. */
  readonly id?: string;
  /** The trace that the event belongs to. Default: the trace of the current request or event, or else a new trace. */
  readonly traceparent?: string;
}

/** One of many events that are added together. */
export interface NewEvent<T extends object> extends AddOptions {
  readonly data: T;
}

/** An event that is added if the statement returns its row: see `Outbox.insertWithEvents`. */
export interface EventOfRow extends NewEvent<object> {
  readonly rowId: string;
  readonly event: EventDefinition<object>;
}

/** Creates an event of a row. The result has no type parameter, because one insertion may add events of several types. */
export const eventOfRow = <T extends object>(
  rowId: string,
  event: EventDefinition<T>,
  newEvent: NewEvent<T>,
): EventOfRow => ({ ...newEvent, rowId, event: event as unknown as EventDefinition<object> });

/** An event exceeds the size limit {@link MAX_EVENT_BYTES}. */
export class EventTooLargeError extends Error {
  readonly code = 'event_too_large';

  constructor(topic: string, bytes: number) {
    super(`an event of ${topic} has ${bytes} bytes: at most ${MAX_EVENT_BYTES} can be published`);
    this.name = 'EventTooLargeError';
  }
}

/**
 * The maximum size of an event's value, in bytes. With its headers, an event of this size stays below a broker's default
 * limit of 1 MiB per batch.
 */
export const MAX_EVENT_BYTES = 900_000;

/**
 * The only way for an app to publish an event: the event is saved together with the change that it reports, or neither
 * is saved. The relay sends committed events immediately if an app of the platform consumes their topic, otherwise after
 * up to 0.2 s, together with other events.
 *
 *     await this.outbox.transaction(async (manager) => {
 *       await this.sales.save(manager, sale);
 *       await this.outbox.add(manager, SALE_COMPLETED, toEvent(sale), { version: sale.version });
 *     });
 */
@Injectable()
export class Outbox {
  /**
   * The transactions, by query runner, that have added events for which the relay has not been woken yet. The value is
   * true if an app consumes one of these events.
   */
  private readonly added = new WeakMap<object, boolean>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly relay: OutboxRelay,
    @Inject(EVENTS_OPTIONS) private readonly options: ResolvedEventsOptions,
  ) {}

  /** Runs `work` in a transaction, and wakes the relay after the commit if events were added. */
  async transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    let added: boolean | undefined;
    const result = await this.dataSource.transaction(async (manager) => {
      const value = await work(manager);
      added = this.takeAdded(manager);
      return value;
    });
    this.wakeFor(added);
    return result;
  }

  /**
   * Wakes the relay for events that were added to a transaction outside of {@link transaction}. Call it after the
   * commit.
   */
  committed(manager: EntityManager): void {
    this.wakeFor(this.takeAdded(manager));
  }

  private takeAdded({ queryRunner }: EntityManager): boolean | undefined {
    if (!queryRunner) return undefined;
    const added = this.added.get(queryRunner);
    this.added.delete(queryRunner);
    return added;
  }

  /**
   * Adds an event to the transaction of `manager`.
   *
   * @throws InvalidEventDataError when the event's class rejects the data, EventTooLargeError, or TypeError for an invalid
   *   id, version or key; all of these are bugs in the caller
   */
  async add<T extends object>(
    manager: EntityManager,
    event: EventDefinition<T>,
    data: T,
    options: AddOptions = {},
  ): Promise<void> {
    await this.addMany(manager, event, [{ ...options, data }]);
  }

  /** Adds many events of one type, in order, in one statement. @throws the same errors as `add` */
  async addMany<T extends object>(
    manager: EntityManager,
    event: EventDefinition<T>,
    events: readonly NewEvent<T>[],
  ): Promise<void> {
    await insertOutboxRows(
      manager,
      events.map((one) => this.rowFor(event, one)),
    );
    if (manager.queryRunner && events.length > 0) this.note(manager.queryRunner, this.isConsumed(event.topic));
  }

  /**
   * Inserts or changes rows of the app and, in the same statement, adds the events of each row that `insertion`
   * returns, in order.
   *
   * @param events each with the id of its row; events of rows that are not returned are not published
   * @param manager the manager of a transaction. Default: the statement commits on its own
   * @returns the ids of the inserted or changed rows
   * @throws the same errors as `add`, and errors of the statement; then nothing is stored
   */
  async insertWithEvents(
    insertion: Insertion,
    events: readonly EventOfRow[],
    manager?: EntityManager,
  ): Promise<ReadonlySet<string>> {
    const rows = events.map((one) => this.rowFor(one.event, one));
    const rowIds = events.map(({ rowId }) => rowId);
    const runner = manager && runnerOf(manager);
    const inserted = await insertWithOutboxRows(runner ?? this.dataSource, insertion, rows, rowIds);
    const added = events.filter(({ rowId }) => inserted.has(rowId));
    if (added.length === 0) return inserted;
    const awaited = added.some(({ event }) => this.isConsumed(event.topic));
    if (runner) this.note(runner, awaited);
    else this.wakeFor(awaited);
    return inserted;
  }

  /**
   * Wakes the relay. Call it, or {@link committed}, after a commit outside of {@link transaction}; otherwise the relay
   * finds the event only at its next poll.
   */
  wake(): void {
    this.relay.wake();
  }

  private note(runner: object, awaited: boolean): void {
    this.added.set(runner, awaited || this.added.get(runner) === true);
  }

  /**
   * Wakes the relay: immediately for events that an app consumes, up to 0.2 s later for other events.
   * @param awaited whether an app consumes one of the added events; undefined when none were added
   */
  private wakeFor(awaited: boolean | undefined): void {
    if (awaited) this.relay.wake();
    else if (awaited === false) this.relay.wakeLater();
  }

  private isConsumed(topic: string): boolean {
    return this.options.topology.some(({ event, consumers }) => event.topic === topic && consumers.length > 0);
  }

  private rowFor<T extends object>(
    event: EventDefinition<T>,
    { data, id = newEventId(), version, traceparent }: NewEvent<T>,
  ): NewOutboxRow {
    const definition = event as unknown as EventDefinition<object>;
    assertValidData(definition, data);
    if (!isUuid(id)) throw new TypeError(`an event id must be a UUID, not "${id}"`);
    if (version !== undefined && (!Number.isSafeInteger(version) || version < 0))
      throw new TypeError(`an event version must be a whole number from 0 on, not ${version}`);
    const key = event.keyOf(data);
    if (!key) throw new TypeError(`an event of ${event.topic} has no key`);
    const message = encodeEvent(this.options.app, definition, data, {
      id,
      key,
      version,
      occurredAt: new Date().toISOString(),
      traceparent: traceparentOr(traceparent),
    });
    if (message.value.length > MAX_EVENT_BYTES) throw new EventTooLargeError(event.topic, message.value.length);
    return { ...message, eventId: id };
  }
}
