/**
 * Lets a loop sleep until there is work. A `wake()` during a sleep ends that sleep; a `wake()` outside of a sleep makes
 * the next sleep end immediately.
 */
export class WakeSignal {
  private pending = false;
  private resume?: () => void;

  wake(): void {
    this.pending = true;
    this.resume?.();
  }

  /** Resolves after `ms`, or immediately when woken. */
  async wait(ms: number): Promise<void> {
    if (!this.pending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.resume = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.resume = undefined;
    }
    this.pending = false;
  }
}
