/**
 * A store in the same database as the sales. `onSale` inserts the id under a unique key, in the transaction that books the sale.
 * `onSaleClosed` inserts the id in the transaction that notes the closure.
 */
export interface HandledIds {
  /** Whether the transaction that inserts this id was committed. */
  isHandled(id: string): Promise<boolean>;
}

/** A store that is separate from the sales. */
export interface ClaimedIds {
  /**
   * Claims an id. Returns false only after `done`, `busy` for at most 60 s after another claim that was not released, and true in
   * all other cases. Must be atomic: of two simultaneous claims, only one returns true.
   */
  claim(id: string): Promise<boolean | 'busy'>;
  /** Reports that the postback is handled: the sale is booked, or the closure is noted. */
  done(id: string): Promise<void>;
  /** Reports that `onSale` or `onSaleClosed` failed: the next attempt may claim the id again, unless `done` was called meanwhile. */
  release(id: string): Promise<void>;
}

/** Remembers which postbacks were handled, so that a repeat changes nothing. */
export type PostbackStore = HandledIds | ClaimedIds;

const LONGEST_CLAIM_MS = 60_000;

/**
 * Remembers ids in memory: for one process, and for tests. A restart forgets them, so a shop stores them in its database.
 *
 * @param capacity how many ids are kept; the oldest is forgotten first
 */
export class MemoryStore implements ClaimedIds {
  /** The state of each id: the time of its claim by `performance.now()`, or `done`. */
  private readonly states = new Map<string, number | 'done'>();

  constructor(private readonly capacity = 100_000) {}

  async claim(id: string): Promise<boolean | 'busy'> {
    const state = this.states.get(id);
    if (state === 'done') return false;
    // A handler that hangs must not keep the id forever.
    if (state !== undefined && performance.now() - state < LONGEST_CLAIM_MS) return 'busy';
    this.states.set(id, performance.now());
    const [oldest] = this.states.keys();
    if (this.states.size > this.capacity && oldest !== undefined) this.states.delete(oldest);
    return true;
  }

  async done(id: string): Promise<void> {
    this.states.set(id, 'done');
  }

  async release(id: string): Promise<void> {
    // Another request may have booked the sale after this claim had expired.
    if (this.states.get(id) !== 'done') this.states.delete(id);
  }
}
