/** Who acts, in which request, and why: goes into the audit trail. */
export interface Act {
  /** `sub` of the token. */
  readonly actor: string;
  readonly requestId: string;
  /** As the caller says; null when it does not. */
  readonly reason: string | null;
}
