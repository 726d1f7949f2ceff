/** What the audit trail records about the caller: who acts, in which request, and why. */
export interface Act {
  /** The `sub` of the caller's token. */
  readonly actor: string;
  readonly requestId: string;
  /** The reason that the caller gave; null if the caller gave none. */
  readonly reason: string | null;
}
