import type { DueDelivery } from './dispatch.types';

/** How long it is remembered that a delivery moved on: longer than a read of the line can take. */
const REMEMBER_MS = 20_000;

/**
 * The deliveries of one endpoint that wait in memory. They come from two sides, the endpoint's line in the database and
 * hand-overs after a commit, which overlap; each is let in once for each of its attempts.
 */
export class DeliveryLine {
  private waiting: DueDelivery[] = [];
  private head = 0;
  /** Waiting, in flight, or with a result that is not stored yet. */
  private readonly busy = new Set<string>();
  /** Attempts made, as stored, of deliveries that left: what says less was read before. Two generations, by age. */
  private moved = new Map<string, number>();
  private movedBefore = new Map<string, number>();
  private turnedAt = performance.now();

  /** Deliveries that can be taken. */
  get length(): number {
    return this.waiting.length - this.head;
  }

  /** Deliveries that are not done with, taken ones included. */
  get unfinished(): number {
    return this.busy.size;
  }

  /** @returns false when the delivery is here already, or was read before it moved on */
  add(delivery: DueDelivery): boolean {
    const attempts = this.moved.get(delivery.id) ?? this.movedBefore.get(delivery.id) ?? 0;
    if (this.busy.has(delivery.id) || delivery.attemptCount < attempts) return false;
    this.busy.add(delivery.id);
    this.waiting.push(delivery);
    return true;
  }

  take(): DueDelivery | undefined {
    const delivery = this.waiting[this.head];
    if (delivery === undefined) return undefined;
    this.head++;
    if (this.head > 64 && this.head * 2 > this.waiting.length) {
      this.waiting = this.waiting.slice(this.head);
      this.head = 0;
    }
    return delivery;
  }

  /** The delivery's result is stored: it may come back with this many attempts, not with fewer. */
  left(id: string, attempts: number): void {
    this.busy.delete(id);
    this.turn();
    this.moved.set(id, attempts);
  }

  /** Forgets what was not taken. */
  clear(): void {
    for (const { id } of this.waiting.slice(this.head)) this.busy.delete(id);
    this.waiting = [];
    this.head = 0;
  }

  private turn(): void {
    const now = performance.now();
    if (now - this.turnedAt < REMEMBER_MS) return;
    this.movedBefore = this.moved;
    this.moved = new Map();
    this.turnedAt = now;
  }
}
