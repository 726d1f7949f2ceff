/** Ids that were added not long ago. */
export class RecentIds {
  private newer = new Set<string>();
  private older = new Set<string>();

  add(id: string): void {
    this.newer.add(id);
  }

  has(id: string): boolean {
    return this.newer.has(id) || this.older.has(id);
  }

  /** Forgets those that were added before the last call. */
  forgetOlder(): void {
    this.older = this.newer;
    this.newer = new Set();
  }
}
