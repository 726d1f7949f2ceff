/** One promise of the partner API, and the tests that prove it. */
export interface Rule {
  /** Never reused for another promise: it may stand in issues and commits. */
  readonly id: string;
  /** Markdown of one line. */
  readonly promise: string;
  /**
   * `<end of the file's path> › <describe> › <it>` as they stand in the source (`answers 401 to %s`), ` › ` between all levels;
   * `*` stands for any text within one level. Each of them must exist.
   */
  readonly tests: readonly string[];
  /** What the rule waits for: it is not built yet, so it may have no test. */
  readonly pending?: string;
}

/** The rules of one topic. */
export interface Section {
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** A rule that holds. */
export const rule = (id: string, promise: string, ...tests: string[]): Rule => ({ id, promise, tests });

/** A rule of a part that is not there yet. Tests that exist already may stand here. */
export const pendingRule = (pending: string, id: string, promise: string, ...tests: string[]): Rule => ({
  ...rule(id, promise, ...tests),
  pending,
});
