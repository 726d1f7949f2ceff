/** Who acts, in which request, and why, for the audit trail. */
export interface Act {
  /** The `sub` of the token. */
  readonly actor: string;
  readonly requestId: string;
  /** The reason as given by the caller; null when it was left out. */
  readonly reason: string | null;
}
