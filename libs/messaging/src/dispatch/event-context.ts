import { BaseRpcContext } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';
import type { EventAttributes } from '../wire/cloud-event';

/** What a handler gets beside the event's data, as `@Ctx() context: EventContext`. */
export class EventContext extends BaseRpcContext<[]> {
  readonly eventId: string;
  readonly key: string;
  /** The entity's version after the change, when the publisher counts it: see `EntityVersions`. */
  readonly version?: number;
  /** When the publisher added the event, RFC 3339. */
  readonly occurredAt: string;
  readonly traceparent?: string;
  private readonly callbacks: (() => void | Promise<void>)[] = [];

  constructor(
    readonly topic: string,
    /** The transaction that also holds the inbox row. What is written through it is done exactly once. */
    readonly manager: EntityManager,
    /** 1 for the first try. */
    readonly attempt: number,
    event: EventAttributes,
  ) {
    super([]);
    this.eventId = event.id;
    this.key = event.key;
    this.version = event.version;
    this.occurredAt = event.occurredAt;
    this.traceparent = event.traceparent;
  }

  /**
   * Runs the callback after the commit, if there is one. For hints such as waking a worker: a process that is killed between
   * the commit and the callback never runs it.
   */
  afterCommit(callback: () => void | Promise<void>): void {
    this.callbacks.push(callback);
  }

  /** The callbacks, in the order they were given. */
  takeCallbacks(): (() => void | Promise<void>)[] {
    return this.callbacks.splice(0);
  }
}
