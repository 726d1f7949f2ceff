import type { DueDelivery } from './dispatch.types';

/** Deliveries of one endpoint that wait in memory, at most: what is beyond stays in the database until there is room. */
export const QUEUE_MAX = 500;

/** A refused delivery is tried again this long after the last refusal. */
const REFUSED_FOR_MS = 300_000;

/**
 * The deliveries of one endpoint that are in memory. They come from two sides, reads of the database and hand-overs after a
 * commit, which overlap; each delivery is here once.
 */
export class DeliveryQueue {
  private waiting: DueDelivery[] = [];
  private head = 0;
  /** Waiting, in flight, or with a result that is not stored yet. */
  private readonly present = new Set<string>();
  /** Deliveries whose result could not be stored: not sent again for some minutes, as that would be without end. */
  private readonly refused = new Set<string>();
  private refusedAt = -Infinity;
  /** What left since the read that is under way began: the read may still have seen it. */
  private leftMeanwhile: Set<string> | null = null;

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

  /** Whether so many results could not be stored that it cannot be for what the endpoint answers: nothing is stored now. */
  get tooManyRefused(): boolean {
    return this.refused.size >= QUEUE_MAX;
  }

  /** Adds a delivery, unless it is here already or must not be sent. @returns false when there is no room for it */
  add(delivery: DueDelivery): boolean {
    if (this.present.has(delivery.id) || this.refused.has(delivery.id)) return true;
    if (this.length >= QUEUE_MAX) return false;
    this.present.add(delivery.id);
    this.waiting.push(delivery);
    return true;
  }

  /**
   * Adds what `read` finds, without what left the queue while it was under way.
   * @returns what `read` gave, and whether there was room for all of it
   */
  async addFrom<T extends { readonly deliveries: readonly DueDelivery[] }>(
    read: Promise<T>,
  ): Promise<T & { readonly fitted: boolean }> {
    const left = new Set<string>();
    this.leftMeanwhile = left;
    try {
      const found = await read;
      const fitted = found.deliveries.every((delivery) => left.has(delivery.id) || this.add(delivery));
      return { ...found, fitted };
    } finally {
      this.leftMeanwhile = null;
    }
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
    const index = this.waiting.findIndex((delivery, place) => place >= this.head && delivery.id === id);
    if (index < 0) return;
    this.waiting.splice(index, 1);
    this.present.delete(id);
  }

  /** The delivery's result is stored: it may come back for its next attempt. */
  left(id: string): void {
    this.present.delete(id);
    this.leftMeanwhile?.add(id);
  }

  /** The delivery's result cannot be stored: it must not come back for some minutes. @param now `performance.now()` */
  refuse(id: string, now = performance.now()): void {
    this.present.delete(id);
    this.refused.add(id);
    this.refusedAt = now;
  }

  /**
   * Lets refused deliveries come back some minutes after the last one was refused: the database may have been mended.
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
    return [...this.present].filter((id) => !waiting.has(id));
  }

  /** Forgets what was not taken. */
  clear(): void {
    for (const { id } of this.waiting.slice(this.head)) this.present.delete(id);
    this.waiting = [];
    this.head = 0;
  }
}
