import type { DueDelivery } from './dispatch-types';
import { bytesOf, type MemoryBudget } from './memory-budget';

/** Maximum deliveries of one endpoint that are queued in memory. All others stay in the database until there is room. */
export const QUEUE_MAX = 500;

/** Deliveries whose result the database rejected are retried this long after the last rejection. */
const REFUSED_FOR_MS = 300_000;

/** The deliveries of one endpoint in memory, from reads of the database and from hand-overs after a commit. Each is present only once. */
export class DeliveryQueue {
  private waiting: DueDelivery[] = [];
  private head = 0;
  /** Bytes, by id, of each delivery that is queued, is in flight, or has an unstored result. */
  private readonly present = new Map<string, number>();
  /** Deliveries whose result was rejected. They are not sent again for some minutes, to avoid an endless loop. */
  private readonly refused = new Set<string>();
  private refusedAt = -Infinity;
  /** Deliveries that left the queue during the current read, which may still have seen them as due. Null when no read is in progress. */
  private leftMeanwhile: Set<string> | null = null;

  constructor(private readonly memory: MemoryBudget) {}

  /** The number of deliveries that are ready to be sent. */
  get length(): number {
    return this.waiting.length - this.head;
  }

  /** The number of deliveries in flight, or with an unstored result. */
  get unfinished(): number {
    return this.present.size - this.length;
  }

  /** Whether nothing would be lost if the queue were removed. */
  get isEmpty(): boolean {
    return this.present.size === 0 && this.refused.size === 0;
  }

  /** Returns whether nothing more should be sent, because too many results are unstored: they were rejected, or their rows are locked. */
  isStuck(inFlight: number): boolean {
    return this.refused.size >= QUEUE_MAX || this.unfinished - inFlight >= QUEUE_MAX;
  }

  /** Returns whether the delivery is in memory, or must not be added again yet. */
  has(id: string): boolean {
    return this.present.has(id) || this.refused.has(id);
  }

  /** Returns the ids of the deliveries that a read should leave out. */
  ids(): string[] {
    return [...this.present.keys(), ...this.refused];
  }

  /** Adds a delivery that was just committed, unless it is already present. @returns false when there is no room for it */
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
   * Adds the deliveries that a read found, except deliveries that were in memory at any time since the read began.
   * @returns false when there was no room for all of them, or when the queue was cleared during the read, so that none is added
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

  /** Removes a delivery that must not be sent. If it was taken, it stays in flight. */
  remove(id: string): void {
    this.leftMeanwhile?.add(id);
    if (!this.present.has(id)) return;
    const index = this.waiting.findIndex((delivery, place) => place >= this.head && delivery.id === id);
    if (index < 0) return;
    this.waiting.splice(index, 1);
    this.free([id]);
  }

  /** Notes that the delivery's result is stored. The delivery may be added again for its next attempt. */
  left(id: string): void {
    this.leftMeanwhile?.add(id);
    this.free([id]);
  }

  /** Notes that the delivery's result was rejected. The delivery must not be added again for some minutes. @param now `performance.now()` */
  refuse(id: string, now = performance.now()): void {
    this.refused.add(id);
    this.refusedAt = now;
    this.free([id]);
  }

  /**
   * Allows refused deliveries to be added again some minutes after the last refusal, because the database may accept their results by then.
   * @param now `performance.now()`
   * @returns whether there were any
   */
  forgetRefused(now: number): boolean {
    if (this.refused.size === 0 || now - this.refusedAt < REFUSED_FOR_MS) return false;
    this.refused.clear();
    return true;
  }

  /** Returns the ids of the deliveries in flight, or with an unstored result. */
  unfinishedIds(): string[] {
    const waiting = new Set(this.waiting.slice(this.head).map(({ id }) => id));
    return [...this.present.keys()].filter((id) => !waiting.has(id));
  }

  /** Removes the deliveries that were not taken, and ignores the result of the current read. */
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
