import { requestsInFlight } from './dispatch.metrics';

/** The share of the budget that is reserved for the first requests of endpoints: see {@link InFlightBudget.take}. */
const RESERVED_SHARE = 1 / 8;
/**
 * At most this many requests are started in one turn of the event loop, not counting the first requests of endpoints. Turns therefore stay short, and
 * first requests start soon. When the processor is busy, turns take longer, so fewer requests are in flight, however many endpoints have a backlog.
 */
const STARTED_IN_A_TURN = 4;

/**
 * Bounds the requests in flight in this process, over all endpoints. A caller for whom there is no room is called back when there may be
 * room. Callers with a first request are called back before all others; callers of the same kind are called back in the order of their
 * calls.
 */
export class InFlightBudget {
  private used = 0;
  private startedInTurn = 0;
  private turnEnds: NodeJS.Immediate | undefined;
  private readonly reserved: number;
  private readonly waitingFirst = new Set<() => void>();
  private readonly waiting = new Set<() => void>();

  constructor(private readonly max: number) {
    this.reserved = Math.floor(max * RESERVED_SHARE);
  }

  /**
   * Takes room for one request from the budget.
   * @param isFirst whether this is a first request, that is, the endpoint has no other request in flight, and no backlog in the database.
   *   First requests are served before all others. Otherwise, they would have to wait for the endpoints with a backlog, of which there may
   *   be thousands.
   * @returns false when the budget has no room now; `whenFree` is called when it may have room
   */
  take(whenFree: () => void, isFirst: boolean): boolean {
    if (!this.hasRoom(isFirst)) {
      (isFirst ? this.waitingFirst : this.waiting).add(whenFree);
      return false;
    }
    if (!isFirst) this.countTurn();
    requestsInFlight.set(++this.used);
    return true;
  }

  giveBack(): void {
    requestsInFlight.set(--this.used);
    this.callFrom(this.waitingFirst, true);
    this.callFrom(this.waiting, false);
  }

  /** Calls back waiting callers in turn while the budget has room. If a caller has nothing to send any more, the next caller is called. */
  private callFrom(waiting: Set<() => void>, isFirst: boolean): void {
    for (const next of waiting) {
      if (!this.hasRoom(isFirst)) return;
      waiting.delete(next);
      next();
    }
  }

  private hasRoom(isFirst: boolean): boolean {
    if (isFirst) return this.used < this.max;
    return this.used < this.max - this.reserved && this.startedInTurn < STARTED_IN_A_TURN;
  }

  private countTurn(): void {
    this.startedInTurn++;
    this.turnEnds ??= setImmediate(() => {
      this.turnEnds = undefined;
      this.startedInTurn = 0;
      this.callFrom(this.waiting, false);
    });
  }
}
