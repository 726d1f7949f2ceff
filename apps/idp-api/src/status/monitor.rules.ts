import type { VendorMonitor } from '../array/vendor-reports-shapes';
import { BASE_CATEGORIES, TITLE_CATEGORIES } from './monitor-categories';
import type { MonitorOverviewDto } from './status.dto';

/**
 * Returns what is monitored for a user, and what higher plans would add.
 *
 * @param monitors what the vendor monitors; categories that the user does not have are ignored
 * @param hasTitles whether the user has TITLE_MONITORING
 */
export function monitorOverview(monitors: readonly VendorMonitor[], hasTitles: boolean): MonitorOverviewDto {
  const available = hasTitles ? [...BASE_CATEGORIES, ...TITLE_CATEGORIES] : BASE_CATEGORIES;
  const counts = new Map(available.map((category) => [category, 0]));
  for (const { category, count } of monitors) {
    const before = counts.get(category);
    if (before !== undefined) counts.set(category, before + count);
  }
  const inHigherPlans = hasTitles ? [] : [...TITLE_CATEGORIES];
  return {
    countsByCategory: Object.fromEntries(counts),
    monitoredCount: [...counts.values()].filter((count) => count > 0).length,
    availableCount: available.length,
    availableInHigherPlans: inHigherPlans.length,
    availableCategoriesInHigherPlans: inHigherPlans,
  };
}
