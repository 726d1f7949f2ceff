import { requestsInFlight } from './dispatch.metrics';

/** How many requests this process has in flight at most, over all endpoints. Who finds none left is called in turn. */
export class InFlightBudget {
  private used = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly max: number) {}

  /** @returns false when none is left: `whenFree` is called once there may be one */
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
    // The first in turn may have nothing to send any more: then the next one gets the place.
    for (const next of this.waiting) {
      if (this.used >= this.max) return;
      this.waiting.delete(next);
      next();
    }
  }
}
