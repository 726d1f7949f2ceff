/** Who acts, in which request, and why, for the audit trail. */
export interface Act {
  /** `sub` of the token. */
  readonly actor: string;
  readonly requestId: string;
  /** As given by the caller; null when left out. */
  readonly reason: string | null;
}
