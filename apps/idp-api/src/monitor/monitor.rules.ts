/** What is monitored for everybody. */
export const BASE_CATEGORIES = [
  'firstName',
  'lastName',
  'dob',
  'ssn',
  'emailAddress',
  'phoneNumber',
  'address',
  'bankAccount',
  'creditCard',
  'driversLicense',
  'medicalId',
  'passport',
] as const;

/** What is monitored with TITLE_MONITORING only. */
export const TITLE_CATEGORIES = [
  'homeTitle',
  'autoTitle',
  'courtRecords',
  'highRiskTransactions',
  'retirementAccount',
] as const;

/** What the vendor monitors in one category. */
export interface MonitorCount {
  readonly category: string;
  readonly count: number;
}

/** What is monitored, and what could be. */
export interface MonitorOverview {
  /** Every category that is available to the user. */
  readonly countsByCategory: Record<string, number>;
  readonly monitoredCount: number;
  readonly availableCount: number;
  readonly availableInHigherPlans: number;
  readonly availableCategoriesInHigherPlans: string[];
}

/**
 * @param monitors what the vendor monitors; categories that the user does not have are left out
 * @param hasTitles whether the user has TITLE_MONITORING
 */
export function monitorOverview(monitors: readonly MonitorCount[], hasTitles: boolean): MonitorOverview {
  const available: readonly string[] = hasTitles ? [...BASE_CATEGORIES, ...TITLE_CATEGORIES] : BASE_CATEGORIES;
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
