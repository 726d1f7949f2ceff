import type { DueDelivery } from './dispatch.types';
import { bytesOf, type MemoryBudget } from './memory-budget';

/** Deliveries of one endpoint that wait in memory, at most: what is beyond stays in the database until there is room. */
export const QUEUE_MAX = 500;

/** A refused delivery is tried again this long after the last refusal. */
const REFUSED_FOR_MS = 300_000;

/** The deliveries of one endpoint that are in memory: from reads of the database, and from hand-overs after a commit. Each is here once. */
export class DeliveryQueue {
  private waiting: DueDelivery[] = [];
  private head = 0;
  /** Bytes of what waits, is in flight, or has a result that is not stored yet, by its id. */
  private readonly present = new Map<string, number>();
  /** Deliveries whose result could not be stored: not sent again for some minutes, as that would be without end. */
  private readonly refused = new Set<string>();
  private refusedAt = -Infinity;
  /** What left since the read that is under way began: the read may still have seen it as due. Null when none is. */
  private leftMeanwhile: Set<string> | null = null;

  constructor(private readonly memory: MemoryBudget) {}

  /** Deliveries that can be taken. */
  get length(): number {
    return this.waiting.length - this.head;
  }

  /** Deliveries that are in flight, or whose result is not stored. */
  get unfinished(): number {
    return this.present.size - this.length;
  }

  /** Whether nothing would be lost if it were forgotten. */
  get isEmpty(): boolean {
    return this.present.size === 0 && this.refused.size === 0;
  }

  /** Whether so many results are not stored that nothing more should be sent: the database refuses them, or rows are locked. */
  isStuck(inFlight: number): boolean {
    return this.refused.size >= QUEUE_MAX || this.unfinished - inFlight >= QUEUE_MAX;
  }

  /** Whether the delivery is in memory, or must not be. */
  has(id: string): boolean {
    return this.present.has(id) || this.refused.has(id);
  }

  /** Everything that a read need not bring. */
  ids(): string[] {
    return [...this.present.keys(), ...this.refused];
  }

  /** Adds a delivery that was committed just now, unless it is known. @returns false when there is no room for it */
  handOver(delivery: DueDelivery): boolean {
    if (this.has(delivery.id)) return true;
    if (this.length >= QUEUE_MAX || !this.memory.hasRoomFor(bytesOf(delivery), this.length > 0)) return false;
    this.add(delivery);
    return true;
  }

  /** A read begins: until `endRead`, what leaves the queue is remembered. */
  beginRead(): void {
    this.leftMeanwhile = new Set();
  }

  /**
   * Adds what a read has found, without what was in memory since it began.
   * @returns false when there was no room for all of it, or when the queue was cleared meanwhile and nothing of it counts
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

  /** The delivery must not be sent any more; one that was taken stays in flight. */
  remove(id: string): void {
    this.leftMeanwhile?.add(id);
    if (!this.present.has(id)) return;
    const index = this.waiting.findIndex((delivery, place) => place >= this.head && delivery.id === id);
    if (index < 0) return;
    this.waiting.splice(index, 1);
    this.free([id]);
  }

  /** The delivery's result is stored: it may come back for its next attempt. */
  left(id: string): void {
    this.leftMeanwhile?.add(id);
    this.free([id]);
  }

  /** The delivery's result cannot be stored: it must not come back for some minutes. @param now `performance.now()` */
  refuse(id: string, now = performance.now()): void {
    this.refused.add(id);
    this.refusedAt = now;
    this.free([id]);
  }

  /**
   * Lets refused deliveries come back some minutes after the last one was refused: the database may take them by now.
   * @param now `performance.now()`
   * @returns whether there were any
   */
  forgetRefused(now: number): boolean {
    if (this.refused.size === 0 || now - this.refusedAt < REFUSED_FOR_MS) return false;
    this.refused.clear();
    return true;
  }

  /** Ids of the deliveries that are in flight, or whose result is not stored. */
  unfinishedIds(): string[] {
    const waiting = new Set(this.waiting.slice(this.head).map(({ id }) => id));
    return [...this.present.keys()].filter((id) => !waiting.has(id));
  }

  /** Forgets what was not taken, and what the read that is under way will find. */
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
