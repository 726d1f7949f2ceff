/** Identifies who made a change, and in which request. The audit row of the change contains both. */
export interface Act {
  /** The `sub` of the manager's token. For the person who opens a portal link: `portal-link:` and the id of the link. */
  readonly actor: string;
  readonly requestId: string;
}
