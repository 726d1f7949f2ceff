import { utc } from '../array/utc';
import type { VendorInstitution, VendorWatch } from '../array/vendor-reports-shapes';
import type { FinancialAccountsStatusDto, NeighborhoodWatchStatusDto, WatchDto } from './status.dto';

/** Returns how many financial accounts a user has linked, and how many need a renewal. */
export function financialAccountsStatus(institutions: readonly VendorInstitution[]): FinancialAccountsStatusDto {
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

/**
 * Returns whether a user has watches, and the number of their alerts.
 * @param sampleAlertCount the number of sample alerts that the user sees in addition to the alerts of the watches
 */
export const neighborhoodWatchStatus = (
  watches: readonly Pick<VendorWatch, 'alertCount'>[],
  sampleAlertCount: number,
): NeighborhoodWatchStatusDto => ({
  hasWatches: watches.length > 0,
  watchAlertCount: watches.reduce((sum, { alertCount }) => sum + alertCount, sampleAlertCount),
});

/** Converts a watch to the form that the user sees. */
export const watchOf = (watch: VendorWatch): WatchDto => ({
  watchId: watch.watchId,
  label: watch.label,
  address: watch.address,
  radiusMiles: watch.radiusMiles,
  active: watch.active,
  createdAt: utc(watch.createdAt),
  alertCount: watch.alertCount,
});
