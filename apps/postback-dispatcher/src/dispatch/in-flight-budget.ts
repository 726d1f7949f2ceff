import { measureRequestsInFlight } from './dispatch.metrics';

/** How many requests this process has in flight at most, over all endpoints. Who finds none left is called in turn. */
export class InFlightBudget {
  private used = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly max: number) {
    measureRequestsInFlight(() => this.used);
  }

  /** @returns false when none is left: `whenFree` is called once there may be one */
  take(whenFree: () => void): boolean {
    if (this.used >= this.max) {
      this.waiting.add(whenFree);
      return false;
    }
    this.used++;
    return true;
  }

  giveBack(): void {
    this.used--;
    // The first in turn may have nothing to send any more: then the next one gets the place.
    for (const next of this.waiting) {
      if (this.used >= this.max) return;
      this.waiting.delete(next);
      next();
    }
  }
}
