const ALERTS = 50;
const DAY_MS = 86_400_000;
const NEWEST = Date.UTC(2026, 0, 31);

const alerts = Array.from({ length: ALERTS }, (_, index) => {
  const at = new Date(NEWEST - index * DAY_MS).toISOString();
  return { alertId: 1_000_000 - index, bureau: 'exp', class: 'CREDIT_MONITORING', createDate: at, updatedDate: at };
});

/** The vendor's answers to the calls of a dashboard, by path. */
export const ANSWERS: Readonly<Record<string, object>> = {
  '/alerts/v2': { total: ALERTS, alerts },
  '/credit-scores/v2': {
    creditScoreHistory: Array.from({ length: 18 }, (_, index) => ({
      score: String(700 + index),
      productCode: 'exp1bScore',
      scoreDate: new Date(NEWEST - index * 30 * DAY_MS).toISOString().slice(0, 10),
    })),
  },
  '/privacy/v2/records': {
    perScan: Array.from({ length: 5 }, (_, index) => ({
      scanId: `scan-${index}`,
      totalRecords: 40,
      notInitiated: 10,
      submitted: 10,
      confirmed: 10,
      verified: 10,
    })),
  },
  '/monitors/v2': {
    monitors: ['firstName', 'lastName', 'dob', 'ssn', 'emailAddress', 'homeTitle'].map((category) => ({
      category,
      count: 1,
    })),
  },
  '/nhw/v2/watches': {
    watches: Array.from({ length: 2 }, (_, index) => ({
      watchId: `watch-${index}`,
      label: 'Home',
      address: '1 Main St, Springfield, IL 62701',
      radiusMiles: 2,
      active: true,
      createdAt: new Date(NEWEST).toISOString(),
      alertCount: index,
    })),
  },
  '/accounts/v2': {
    institutions: Array.from({ length: 2 }, (_, index) => ({
      institutionId: `institution-${index}`,
      name: 'Bank',
      accounts: [{ accountId: `account-${index}`, needsRenewal: index === 0 }],
    })),
  },
};

/** The calls of a dashboard. */
export const DASHBOARD_PATHS = Object.keys(ANSWERS);
export const ALERTS_PATH = '/alerts/v2';
