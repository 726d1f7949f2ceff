import { BaseRpcContext } from '@nestjs/microservices';
import type { EntityManager } from 'typeorm';

/** The context of a handler's batch, as `@Ctx() batch: EventBatch`. */
export class EventBatch extends BaseRpcContext<[]> {
  private readonly callbacks: (() => void | Promise<void>)[] = [];

  constructor(
    readonly topic: string,
    /** The transaction that also holds the inbox rows. Writes through it happen exactly once. */
    readonly manager: EntityManager,
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

  /** The callbacks, in the order they were given. */
  takeCallbacks(): (() => void | Promise<void>)[] {
    return this.callbacks.splice(0);
  }
}
