import { BaseRpcContext } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';

/** The context of a handler's batch, as `@Ctx() batch: EventBatch`. */
export class EventBatch extends BaseRpcContext<[]> {
  private readonly callbacks: (() => void | Promise<void>)[] = [];
  private newCount: number | undefined;

  constructor(
    readonly topic: string,
    /** The transaction of the inbox rows. Writes through it happen exactly once. */
    readonly manager: EntityManager,
    /**
     * For a one-statement handler: the consumer name with which its statement must claim the events (`claimExpression`). It is null
     * when the events are already claimed, and all of them are new.
     */
    readonly claimedBy: string | null = null,
  ) {
    super([]);
  }

  /**
   * Runs the callback after the commit, outside of any event's context. For hints such as waking a worker: if the
   * process is killed between the commit and the callback, it never runs.
   */
  afterCommit(callback: () => void | Promise<void>): void {
    this.callbacks.push(callback);
  }

  /** Called by a one-statement handler with the number of its events that were new. */
  claimed(count: number): void {
    this.newCount = count;
  }

  /** The argument of `claimed`; undefined when it was not called. */
  get claimedCount(): number | undefined {
    return this.newCount;
  }

  /** Returns the callbacks, in order of registration. */
  takeCallbacks(): (() => void | Promise<void>)[] {
    return this.callbacks.splice(0);
  }
}
