import { requestsInFlight } from './dispatch.metrics';

/** The maximum of requests in flight in this process, over all endpoints. Callers that find none free are called back in turn. */
export class InFlightBudget {
  private used = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly max: number) {}

  /** @returns false when none is free: `whenFree` is called once there may be one */
  take(whenFree: () => void): boolean {
    if (this.used >= this.max) {
      this.waiting.add(whenFree);
      return false;
    }
    requestsInFlight.set(++this.used);
    return true;
  }

  giveBack(): void {
    requestsInFlight.set(--this.used);
    // The first in turn may have nothing left to send: then the next one gets the slot.
    for (const next of this.waiting) {
      if (this.used >= this.max) return;
      this.waiting.delete(next);
      next();
    }
  }
}
