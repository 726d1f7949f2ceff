/** Who made a change, and in which request: part of its audit row. */
export interface Act {
  /** `sub` of the manager's token. */
  readonly actor: string;
  readonly requestId: string;
}
