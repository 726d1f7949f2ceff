/** An institution at which the user has accounts. */
export interface Institution {
  readonly accounts: readonly { readonly needsRenewal: boolean }[];
}

export interface FinancialAccountsStatus {
  readonly hasAccounts: boolean;
  readonly institutionCount: number;
  readonly accountCount: number;
  readonly anyNeedsRenewal: boolean;
  readonly needsRenewalCount: number;
}

/** What a user's accounts are in sum. */
export function financialAccountsStatus(institutions: readonly Institution[]): FinancialAccountsStatus {
  const accounts = institutions.flatMap((institution) => institution.accounts);
  const needsRenewalCount = accounts.filter(({ needsRenewal }) => needsRenewal).length;
  return {
    hasAccounts: accounts.length > 0,
    institutionCount: institutions.length,
    accountCount: accounts.length,
    anyNeedsRenewal: needsRenewalCount > 0,
    needsRenewalCount,
  };
}
