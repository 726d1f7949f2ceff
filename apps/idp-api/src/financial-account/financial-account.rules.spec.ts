import { financialAccountsStatus } from './financial-account.rules';

describe('financialAccountsStatus', () => {
  it('counts institutions, accounts, and those that need a renewal', () => {
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

  it('has no accounts without institutions', () => {
    expect(financialAccountsStatus([])).toEqual({
      hasAccounts: false,
      institutionCount: 0,
      accountCount: 0,
      anyNeedsRenewal: false,
      needsRenewalCount: 0,
    });
  });
});
