/**
 * A store of the ids of handled postbacks, in the same database as the sales. The SDK only reads the store. Your `onSale` inserts the id
 * of the postback under a unique key, in the transaction that books the sale. Your `onSaleClosed` inserts the id in the transaction that
 * notes the closure.
 */
export interface HandledIds {
  /** Whether the transaction that inserts this id was committed. */
  isHandled(id: string): Promise<boolean>;
}

/** A store that is separate from the sales. */
export interface ClaimedIds {
  /**
   * Claims an id. Returns false only if `done` was called for the id. Returns `busy` while another request holds a claim, for at most
   * 60 s after that claim. Returns true in all other cases. Must be atomic: of two simultaneous claims, only one returns true.
   */
  claim(id: string): Promise<boolean | 'busy'>;
  /** Reports that the postback is handled: the sale is booked, or the closure is noted. */
  done(id: string): Promise<void>;
  /**
   * Reports that `onSale` or `onSaleClosed` failed. The next attempt may then claim the id again, except if `done` was
   * called meanwhile. Give both functions a time limit below 60 s: after 60 s, another request may have claimed the id.
   * A store that does not distinguish claims would then remove the claim of that request, and a third request could be
   * handled at the same time.
   */
  release(id: string): Promise<void>;
}

/** Remembers which postbacks were handled, so that a repeated postback changes nothing. */
export type PostbackStore = HandledIds | ClaimedIds;

const LONGEST_CLAIM_MS = 60_000;

interface Claim {
  /** The time of the last claim, by `performance.now()`. */
  readonly at: number;
  /** How many requests have claimed the id and have not reported a result yet. All of these claims except
   *  the last have expired; the last may have expired too. */
  readonly holders: number;
}

/**
 * Remembers ids in memory, for one process and for tests. A restart loses the ids, so a real shop stores them in its database.
 *
 * @param capacity how many ids are kept; the oldest is forgotten first
 */
export class MemoryStore implements ClaimedIds {
  private readonly states = new Map<string, Claim | 'done'>();

  constructor(private readonly capacity = 100_000) {}

  async claim(id: string): Promise<boolean | 'busy'> {
    const state = this.states.get(id);
    if (state === 'done') return false;
    // A claim expires after 60 s, so that a handler that hangs does not keep the id forever.
    if (state !== undefined && performance.now() - state.at < LONGEST_CLAIM_MS) return 'busy';
    this.states.set(id, { at: performance.now(), holders: (state?.holders ?? 0) + 1 });
    const [oldest] = this.states.keys();
    if (this.states.size > this.capacity && oldest !== undefined) this.states.delete(oldest);
    return true;
  }

  async done(id: string): Promise<void> {
    this.states.set(id, 'done');
  }

  async release(id: string): Promise<void> {
    const state = this.states.get(id);
    // Another request may have booked the sale after this claim had expired.
    if (state === undefined || state === 'done') return;
    // Several requests may have claimed the id and have no result yet. It is unknown which of them releases its claim, so the last claim is
    // kept until all of them have released theirs, or until it expires.
    if (state.holders > 1) this.states.set(id, { ...state, holders: state.holders - 1 });
    else this.states.delete(id);
  }
}
