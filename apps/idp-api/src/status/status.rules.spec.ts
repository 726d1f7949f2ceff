import { financialAccountsStatus, neighborhoodWatchStatus } from './status.rules';

describe('financialAccountsStatus', () => {
  it('counts institutions, accounts, and accounts that need a renewal', () => {
    const status = financialAccountsStatus([
      { accounts: [{ needsRenewal: true }, { needsRenewal: false }] },
      { accounts: [{ needsRenewal: true }] },
      { accounts: [] },
    ]);
    expect(status).toEqual({
      hasAccounts: true,
      institutionCount: 3,
      accountCount: 3,
      anyNeedsRenewal: true,
      needsRenewalCount: 2,
    });
  });

  it('counts no accounts when there are no institutions', () => {
    expect(financialAccountsStatus([])).toEqual({
      hasAccounts: false,
      institutionCount: 0,
      accountCount: 0,
      anyNeedsRenewal: false,
      needsRenewalCount: 0,
    });
  });
});

describe('neighborhoodWatchStatus', () => {
  it('reports no watches and no alerts when there are none', () => {
    expect(neighborhoodWatchStatus([], 0)).toEqual({ hasWatches: false, watchAlertCount: 0 });
  });

  it('adds up the alerts of all watches and the sample alerts', () => {
    expect(neighborhoodWatchStatus([{ alertCount: 2 }, { alertCount: 0 }, { alertCount: 3 }], 1)).toEqual({
      hasWatches: true,
      watchAlertCount: 6,
    });
  });
});
