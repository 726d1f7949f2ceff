import type { DueDelivery } from './dispatch-types';
import { bytesOf, type MemoryBudget } from './memory-budget';

/** Maximum deliveries of one endpoint that are queued in memory. Further deliveries stay in the database until there is room. */
export const QUEUE_MAX = 500;

/** How long the queue does not accept deliveries whose results the database rejected, counted from the last rejection. */
const REFUSED_FOR_MS = 300_000;

/**
 * The deliveries of one endpoint that are in memory. They come from reads of the database and from hand-overs in memory after a commit, and
 * each is present only once.
 */
export class DeliveryQueue {
  private waiting: DueDelivery[] = [];
  private head = 0;
  /** The bytes of each delivery that is queued, is in flight, or has a result that is not stored yet, by the delivery's id. */
  private readonly present = new Map<string, number>();
  /** The ids of deliveries whose result the database rejected. They are not sent again for REFUSED_FOR_MS, to avoid an endless loop. */
  private readonly refused = new Set<string>();
  private refusedAt = -Infinity;
  /**
   * Deliveries that left the queue during the current read. The read may still return them as due. Null when no read is in progress, or the
   * queue was cleared during the read.
   */
  private leftMeanwhile: Set<string> | null = null;

  constructor(private readonly memory: MemoryBudget) {}

  /** The number of deliveries that are ready to be sent. */
  get length(): number {
    return this.waiting.length - this.head;
  }

  /** The number of deliveries that are in flight, or have a result that is not stored yet. */
  get unfinished(): number {
    return this.present.size - this.length;
  }

  /** Whether the queue can be removed: it has no deliveries, and no rejected results to remember. */
  get isEmpty(): boolean {
    return this.present.size === 0 && this.refused.size === 0;
  }

  /**
   * Returns whether sending must stop: at least QUEUE_MAX deliveries have a result that the database rejected, or at least QUEUE_MAX have a
   * result that is not stored yet.
   */
  isStuck(inFlight: number): boolean {
    return this.refused.size >= QUEUE_MAX || this.unfinished - inFlight >= QUEUE_MAX;
  }

  /** Returns whether the delivery is in memory, or must not be added again yet because its result was rejected. */
  has(id: string): boolean {
    return this.present.has(id) || this.refused.has(id);
  }

  /** Returns the ids of the deliveries that a read should leave out, because `has` is true for them. */
  ids(): string[] {
    return [...this.present.keys(), ...this.refused];
  }

  /** Adds a delivery that was just committed, unless the queue already has it. @returns false when there is no room for it */
  handOver(delivery: DueDelivery): boolean {
    if (this.has(delivery.id)) return true;
    if (this.length >= QUEUE_MAX || !this.memory.hasRoomFor(bytesOf(delivery), this.length > 0)) return false;
    this.add(delivery);
    return true;
  }

  /** Starts a read: until `endRead`, deliveries that leave the queue are recorded. */
  beginRead(): void {
    this.leftMeanwhile = new Set();
  }

  /**
   * Adds the deliveries that a read found, except deliveries for which `has` is true, and deliveries that left the queue during the read.
   * Adds none if the queue was cleared during the read.
   * @returns false when there was no room for all of them, or when the queue was cleared during the read
   */
  endRead(found: readonly DueDelivery[]): boolean {
    const left = this.leftMeanwhile;
    this.leftMeanwhile = null;
    if (left === null) return false;
    const added = found.filter(({ id }) => !left.has(id) && !this.has(id));
    const fitting = added.slice(0, Math.max(0, QUEUE_MAX - this.length));
    for (const delivery of fitting) this.add(delivery);
    return fitting.length === added.length;
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

  /** Removes a delivery that must not be sent. A delivery that was already taken stays in flight. */
  remove(id: string): void {
    this.leftMeanwhile?.add(id);
    if (!this.present.has(id)) return;
    const index = this.waiting.findIndex((delivery, place) => place >= this.head && delivery.id === id);
    if (index < 0) return;
    this.waiting.splice(index, 1);
    this.free([id]);
  }

  /** Records that the delivery's result is stored or no longer counts. The delivery may be added again for its next attempt. */
  left(id: string): void {
    this.leftMeanwhile?.add(id);
    this.free([id]);
  }

  /**
   * Records that the database rejected the delivery's result. The delivery must not be added again for REFUSED_FOR_MS.
   * @param now `performance.now()`
   */
  refuse(id: string, now = performance.now()): void {
    this.refused.add(id);
    this.refusedAt = now;
    this.free([id]);
  }

  /**
   * If the last rejection is at least REFUSED_FOR_MS ago, allows the deliveries whose results were rejected to be added again. The database
   * may accept their results by then.
   * @param now `performance.now()`
   * @returns whether there are deliveries that may now be added again
   */
  forgetRefused(now: number): boolean {
    if (this.refused.size === 0 || now - this.refusedAt < REFUSED_FOR_MS) return false;
    this.refused.clear();
    return true;
  }

  /** Returns the ids of the deliveries that are in flight, or have a result that is not stored yet. */
  unfinishedIds(): string[] {
    const waiting = new Set(this.waiting.slice(this.head).map(({ id }) => id));
    return [...this.present.keys()].filter((id) => !waiting.has(id));
  }

  /** Removes the deliveries that were not taken. The result of the current read will be ignored. */
  clear(): void {
    this.leftMeanwhile = null;
    const waiting = this.waiting.slice(this.head);
    this.waiting = [];
    this.head = 0;
    this.free(waiting.map(({ id }) => id));
  }

  private add(delivery: DueDelivery): void {
    const bytes = bytesOf(delivery);
    if (this.present.size === 0) this.memory.holders++;
    this.present.set(delivery.id, bytes);
    this.waiting.push(delivery);
    this.memory.charge(bytes);
  }

  private free(ids: readonly string[]): void {
    let bytes = 0;
    const before = this.present.size;
    for (const id of ids) {
      bytes += this.present.get(id) ?? 0;
      this.present.delete(id);
    }
    if (before === this.present.size) return;
    if (this.present.size === 0) this.memory.holders--;
    this.memory.giveBack(bytes);
  }
}
