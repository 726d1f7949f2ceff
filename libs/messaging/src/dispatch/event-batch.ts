import { BaseRpcContext } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';

/** The context of one batch of events, which a handler receives as `@Ctx() batch: EventBatch`. */
export class EventBatch extends BaseRpcContext<[]> {
  private readonly callbacks: (() => void | Promise<void>)[] = [];
  private newCount: number | undefined;

  constructor(
    readonly topic: string,
    /**
     * The manager of the transaction that also inserts the inbox rows: writes through it take effect exactly once. A
     * one-statement handler gets a manager without a transaction, except in a replay.
     */
    readonly manager: EntityManager,
    /**
     * The consumer name with which the statement of a one-statement handler must claim the events (`claimExpression`).
     * Null when the dispatcher has already claimed the events: the handler then gets only events that are new to this
     * app.
     */
    readonly claimedBy: string | null = null,
  ) {
    super([]);
  }

  /**
   * Registers a callback to run after the commit, outside of any event's context. Use it only for hints such as waking
   * a worker: if the process is killed between the commit and the callback, the callback never runs.
   */
  afterCommit(callback: () => void | Promise<void>): void {
    this.callbacks.push(callback);
  }

  /** A one-statement handler must call this method with the number of new events. In a replay, the call has no effect. */
  claimed(count: number): void {
    this.newCount = count;
  }

  /** The argument with which `claimed` was called; undefined when `claimed` was not called. */
  get claimedCount(): number | undefined {
    return this.newCount;
  }

  /** Returns and forgets the registered callbacks, in the order of their registration. */
  takeCallbacks(): (() => void | Promise<void>)[] {
    return this.callbacks.splice(0);
  }
}
