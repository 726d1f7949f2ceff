/** Remembers which postbacks were handled, so that a repeat changes nothing. */
export interface PostbackStore {
  /**
   * Claims an id: true when it is new, false when it was handled before, `busy` while another request handles it. Must be atomic: of two
   * requests at the same time one gets true, for example by a unique key.
   */
  claim(id: string): Promise<boolean | 'busy'>;
  /** The sale is booked. */
  done?(id: string): Promise<void>;
  /** Booking failed: the next attempt may claim the id again. */
  release?(id: string): Promise<void>;
}

/**
 * Remembers ids in memory: for one process, and for tests. A restart forgets them, so a shop stores them in its database.
 *
 * @param capacity how many ids are kept; the oldest is forgotten first
 */
export class MemoryStore implements PostbackStore {
  private readonly states = new Map<string, 'busy' | 'done'>();

  constructor(private readonly capacity = 100_000) {}

  async claim(id: string): Promise<boolean | 'busy'> {
    const state = this.states.get(id);
    if (state !== undefined) return state === 'busy' ? 'busy' : false;
    this.states.set(id, 'busy');
    const [oldest] = this.states.keys();
    if (this.states.size > this.capacity && oldest !== undefined) this.states.delete(oldest);
    return true;
  }

  async done(id: string): Promise<void> {
    this.states.set(id, 'done');
  }

  async release(id: string): Promise<void> {
    this.states.delete(id);
  }
}
