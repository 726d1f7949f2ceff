/** Identifies who made a change, and in which request. The audit row of the change contains both. */
export interface Act {
  /** The `sub` of the manager's token. For a partner: `portal-link:` or `token:`, and the id of the link or token. */
  readonly actor: string;
  readonly requestId: string;
}
