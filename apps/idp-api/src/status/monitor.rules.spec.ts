import { monitorOverview } from './monitor.rules';

const TITLES = ['homeTitle', 'autoTitle', 'courtRecords', 'highRiskTransactions', 'retirementAccount'];

describe('monitorOverview', () => {
  it('has 12 categories without TITLE_MONITORING, and reports 5 more in higher plans', () => {
    const overview = monitorOverview(
      [
        { category: 'emailAddress', count: 2 },
        { category: 'ssn', count: 1 },
        { category: 'passport', count: 0 },
      ],
      false,
    );
    expect(overview).toMatchObject({
      monitoredCount: 2,
      availableCount: 12,
      availableInHigherPlans: 5,
      availableCategoriesInHigherPlans: TITLES,
    });
    expect(overview.countsByCategory).toMatchObject({ emailAddress: 2, ssn: 1, passport: 0, dob: 0 });
    expect(Object.keys(overview.countsByCategory)).toHaveLength(12);
  });

  it('has 17 categories with TITLE_MONITORING, and reports none in higher plans', () => {
    const overview = monitorOverview([{ category: 'homeTitle', count: 1 }], true);
    expect(overview).toMatchObject({
      monitoredCount: 1,
      availableCount: 17,
      availableInHigherPlans: 0,
      availableCategoriesInHigherPlans: [],
    });
    expect(Object.keys(overview.countsByCategory)).toHaveLength(17);
  });

  it('omits unknown categories, and categories that the user does not have', () => {
    const overview = monitorOverview(
      [
        { category: 'homeTitle', count: 1 },
        { category: 'shoeSize', count: 1 },
      ],
      false,
    );
    expect(overview.monitoredCount).toBe(0);
    expect(Object.keys(overview.countsByCategory)).toHaveLength(12);
  });

  it('adds up the counts of a category that the vendor lists twice', () => {
    const twice = [
      { category: 'ssn', count: 1 },
      { category: 'ssn', count: 2 },
    ];
    expect(monitorOverview(twice, false).countsByCategory['ssn']).toBe(3);
  });
});
