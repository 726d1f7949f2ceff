/** One fault of the platform. `shown` is the shortest text that was reported for it, usually a request and its answers. */
export interface Finding {
  readonly source: string;
  readonly complaint: string;
  readonly shown: string;
  /** The operation for which `shown` was reported. */
  readonly operation: string;
  readonly count: number;
  /** For how many operations the fault was found. */
  readonly operations: number;
}

interface Row {
  requests: number;
  unanswered: number;
  longestMs: number;
  readonly statuses: Map<number, number>;
}

/** Counts requests by source (documents, a group of mutations, or a sequence), and collects findings. */
export class Tally {
  requests = 0;
  private readonly rows = new Map<string, Row>();
  private readonly found = new Map<string, Finding & { readonly names: ReadonlySet<string> }>();

  /**
   * Counts a request.
   * @param statuses the statuses of all answers to the request; empty when there was no answer
   */
  count(source: string, statuses: readonly number[], ms: number): void {
    const row = this.rows.get(source) ?? { requests: 0, unanswered: 0, longestMs: 0, statuses: new Map() };
    this.rows.set(source, row);
    this.requests++;
    row.requests++;
    row.longestMs = Math.max(row.longestMs, ms);
    if (statuses.length === 0) row.unanswered++;
    for (const status of statuses) row.statuses.set(status, (row.statuses.get(status) ?? 0) + 1);
  }

  report(source: string, operation: string, complaint: string, shown: string): void {
    const key = `${source}\n${complaint}`;
    const before = this.found.get(key);
    const shortest = before && before.shown.length <= shown.length ? before : { shown, operation };
    const names = new Set([...(before?.names ?? []), operation]);
    const count = (before?.count ?? 0) + 1;
    this.found.set(key, {
      source,
      complaint,
      count,
      names,
      operations: names.size,
      shown: shortest.shown,
      operation: shortest.operation,
    });
  }

  get findings(): readonly Finding[] {
    return [...this.found.values()];
  }

  /** Returns how many answers had a status. */
  countOf(status: number): number {
    return [...this.rows.values()].reduce((sum, { statuses }) => sum + (statuses.get(status) ?? 0), 0);
  }

  get longestMs(): number {
    return Math.max(0, ...[...this.rows.values()].map(({ longestMs }) => longestMs));
  }

  /**
   * Returns the rows of a table: source, requests, answers by class of status, requests without an answer, longest
   * duration of a request in ms.
   */
  table(): readonly (readonly string[])[] {
    return [...this.rows]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([source, { requests, unanswered, longestMs, statuses }]) => {
        const ofClass = (hundreds: number): string =>
          [...statuses]
            .filter(([status]) => Math.floor(status / 100) === hundreds)
            .reduce((sum, [, count]) => sum + count, 0)
            .toLocaleString('en');
        const counts = [2, 3, 4, 5].map(ofClass);
        return [source, requests.toLocaleString('en'), ...counts, unanswered.toLocaleString('en'), String(longestMs)];
      });
  }
}
