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
    const [next] = this.waiting;
    if (next === undefined) return;
    this.waiting.delete(next);
    next();
  }
}
