import { BaseRpcContext } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';

/** The context of a handler's batch, as `@Ctx() batch: EventBatch`. */
export class EventBatch extends BaseRpcContext<[]> {
  private readonly callbacks: (() => void | Promise<void>)[] = [];
  private newCount: number | undefined;

  constructor(
    readonly topic: string,
    /** The transaction that also holds the inbox rows. Writes through it happen exactly once. */
    readonly manager: EntityManager,
    /**
     * For a handler of one statement: the consumer as which its statement has to claim the events (`claimExpression`), because
     * nobody has done so. Null when the events are claimed, and all new.
     */
    readonly claimedBy: string | null = null,
  ) {
    super([]);
  }

  /**
   * Runs the callback after the commit, if there is one, outside of any event's context. For hints such as waking a worker: a
   * process that is killed between the commit and the callback never runs it.
   */
  afterCommit(callback: () => void | Promise<void>): void {
    this.callbacks.push(callback);
  }

  /** A handler of one statement says how many of its events were new. */
  claimed(count: number): void {
    this.newCount = count;
  }

  /** What `claimed` was told; undefined when it was not called. */
  get claimedCount(): number | undefined {
    return this.newCount;
  }

  /** The callbacks, in the order they were given. */
  takeCallbacks(): (() => void | Promise<void>)[] {
    return this.callbacks.splice(0);
  }
}
