import { AlertService } from '../alert/alert.service';
import { CreditScoreService } from '../credit-score/credit-score.service';
import { FinancialAccountService } from '../financial-account/financial-account.service';
import { MonitorService } from '../monitor/monitor.service';
import { NeighborhoodWatchService } from '../neighborhood-watch/neighborhood-watch.service';
import { ScanService } from '../scan/scan.service';
import type { Section } from './section';

/** The services behind the sections, in the order of {@link sectionsOf}. */
export const SECTION_SERVICES = [
  AlertService,
  CreditScoreService,
  ScanService,
  MonitorService,
  NeighborhoodWatchService,
  FinancialAccountService,
];

/** The dashboard, section by section, in the order of the answer. */
export const sectionsOf = (
  alerts: AlertService,
  scores: CreditScoreService,
  scans: ScanService,
  monitors: MonitorService,
  watches: NeighborhoodWatchService,
  accounts: FinancialAccountService,
): readonly Section[] => [
  {
    name: 'userAlerts',
    read: async ({ profile, page, timeoutMs }) => ({
      userAlerts: await alerts.listOf(profile, page, {}, timeoutMs),
    }),
  },
  {
    name: 'creditScoreHistory',
    code: 'CREDIT_SCORE',
    read: async ({ profile: { arrayUserId }, timeoutMs }) => ({
      creditScoreHistory: await scores.listOf({ arrayUserId, timeoutMs }),
    }),
  },
  {
    name: 'dataRemovalProgress',
    code: 'DATA_REMOVAL',
    read: ({ profile, timeoutMs }) => scans.progressOf(profile, timeoutMs),
  },
  {
    name: 'monitorsOverview',
    read: ({ profile: { arrayUserId }, granted, timeoutMs }) =>
      monitors.overviewOf({ arrayUserId, timeoutMs }, granted),
  },
  {
    name: 'neighborhoodWatchStatus',
    code: 'NEIGHBORHOOD_WATCH',
    read: ({ profile, timeoutMs }) => watches.statusOf(profile, timeoutMs),
  },
  {
    name: 'financialAccountsStatus',
    code: 'FINANCIAL_ACCOUNTS',
    read: ({ profile: { arrayUserId }, timeoutMs }) => accounts.statusOf({ arrayUserId, timeoutMs }),
  },
];
