import { neighborhoodWatchStatus } from './neighborhood-watch.rules';

describe('neighborhoodWatchStatus', () => {
  it('has no watches and no alerts when there are none', () => {
    expect(neighborhoodWatchStatus([], 0)).toEqual({ hasWatches: false, watchAlertCount: 0 });
  });

  it('adds up the alerts of all watches, and the samples', () => {
    expect(neighborhoodWatchStatus([{ alertCount: 2 }, { alertCount: 0 }, { alertCount: 3 }], 1)).toEqual({
      hasWatches: true,
      watchAlertCount: 6,
    });
  });
});
