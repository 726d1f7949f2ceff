/** Who acts, in which request: goes into the audit row of whatever is done. */
export interface Act {
  /** `sub` of the manager's token. */
  readonly actor: string;
  readonly requestId: string;
}
