import { TITLE_CATEGORIES } from './monitor-categories';
import { ENTITLEMENTS_REQUIRED, PROVIDER_UNAVAILABLE } from './section';

const counts = { totalRecords: 40, notInitiated: 10, submitted: 10, confirmed: 10, verified: 10, percentCompleted: 25 };
const at = '2026-03-01T12:00:00.000Z';

/** Examples of the answer of GET /idp/array/users/me/dashboard, for the OpenAPI document. */
export const DASHBOARD_EXAMPLES = {
  'one section failed, one is not in the plan': {
    userAlerts: {
      Ok: {
        userAlerts: [
          {
            alertId: 1000001,
            bureau: 'exp',
            class: 'CREDIT_MONITORING',
            createDate: at,
            updatedDate: at,
            read: false,
          },
        ],
      },
    },
    creditScoreHistory: {
      Ok: { creditScoreHistory: [{ score: '712', productCode: 'exp1bScore', scoreDate: '2026-03-01' }] },
    },
    dataRemovalProgress: { Ok: { totals: counts, perScan: [{ scanId: 'scan-1', ...counts }] } },
    monitorsOverview: {
      Ok: {
        countsByCategory: { emailAddress: 2, ssn: 1, passport: 0 },
        monitoredCount: 2,
        availableCount: 12,
        availableInHigherPlans: 5,
        availableCategoriesInHigherPlans: TITLE_CATEGORIES,
      },
    },
    neighborhoodWatchStatus: { Err: PROVIDER_UNAVAILABLE },
    financialAccountsStatus: { Err: ENTITLEMENTS_REQUIRED },
  },
};
