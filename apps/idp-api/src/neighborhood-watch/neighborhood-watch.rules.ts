/** An address whose neighborhood is watched. */
export interface Watch {
  watchId: string;
  label: string;
  address: string;
  radiusMiles: number;
  active: boolean;
  /** ISO 8601, UTC. */
  createdAt: string;
  alertCount: number;
}

export interface NeighborhoodWatchStatus {
  hasWatches: boolean;
  watchAlertCount: number;
}

/** @param sampleAlertCount the sample alerts that the user sees beside those of the watches */
export const neighborhoodWatchStatus = (
  watches: readonly { alertCount: number }[],
  sampleAlertCount: number,
): NeighborhoodWatchStatus => ({
  hasWatches: watches.length > 0,
  watchAlertCount: watches.reduce((sum, { alertCount }) => sum + alertCount, sampleAlertCount),
});
