/** One promise of the APIs. The tests that prove it have its id at the end of their titles: see `idsOf`. */
export interface Rule {
  /** The id of the promise. It is never reused for another promise, because it may appear in issues and commits. */
  readonly id: string;
  /** The text of the promise: one line of Markdown. */
  readonly promise: string;
  /** The part of the platform that is not built yet. A rule with this field may have no test. */
  readonly pending?: string;
}

/** The rules of one topic. */
export interface Section {
  readonly title: string;
  readonly rules: readonly Rule[];
}

/** Returns a rule that is in force. */
export const rule = (id: string, promise: string): Rule => ({ id, promise });

/** Returns a rule about a part that is not built yet. @param pending names the part */
export const pendingRule = (pending: string, id: string, promise: string): Rule => ({ id, promise, pending });
