import { rule, type Section } from './rule';

/** What is read at the vendor beside alerts. */
export const IDENTITY_STATUS: Section = {
  title: 'Identity: dashboard and status',
  rules: [
    rule(
      'idp-dashboard.sections',
      'The dashboard has `userAlerts`, `creditScoreHistory`, `dataRemovalProgress`, `monitorsOverview`, `neighborhoodWatchStatus` and `financialAccountsStatus`, each `{"Ok":…}` with what its own endpoint answers, or `{"Err":"…"}`.',
    ),
    rule('idp-dashboard.page', '`count` and `offset` of the dashboard are those of its alerts.'),
    rule(
      'idp-dashboard.isolation',
      'A section that fails is `{"Err":"provider unavailable"}`; the others and the status 200 stay.',
    ),
    rule('idp-dashboard.deadline', 'A section that takes longer than 3 s (configuration) counts as failed.'),
    rule('idp-dashboard.entitlements', 'A section without its entitlement is `{"Err":"entitlements required"}`.'),
    rule('idp-dashboard.profile-only', 'The dashboard needs a profile.'),
    rule(
      'idp-monitors.overview',
      '12 categories are available, 17 with `TITLE_MONITORING`; without it those 5 are named as in higher plans.',
    ),
    rule('idp-monitors.profile-only', 'The monitor overview needs a profile, and no entitlement.'),
    rule(
      'idp-credit-scores.item',
      '`GET …/me/credit-scores` answers `{"creditScoreHistory":[{"score","productCode","scoreDate"}]}`.',
    ),
    rule('idp-credit-scores.entitlement', 'Credit scores need `CREDIT_SCORE`.'),
    rule(
      'idp-financial-accounts.status',
      '`GET …/financial-accounts/status` answers `{"hasAccounts","institutionCount","accountCount","anyNeedsRenewal","needsRenewalCount"}`.',
    ),
    rule('idp-financial-accounts.entitlement', 'The status of financial accounts needs `FINANCIAL_ACCOUNTS`.'),
    rule(
      'idp-limits.default',
      'A user has 60 requests a minute; then 429 `{"error":"rate limited"}` with `Retry-After`.',
    ),
    rule('idp-limits.dashboard', 'A user has 20 dashboards a minute.'),
    rule(
      'idp-vendor.read-failure',
      'When the vendor fails, a request that reads is 502, when it is late 504; nothing of ours changes.',
    ),
  ],
};

/** Scans of data brokers, and watched neighborhoods. */
export const IDENTITY_SCANS: Section = {
  title: 'Identity: scans and Neighborhood Watch',
  rules: [
    rule('idp-scans.item', '`GET …/me/scans` answers an array of scans; times are null until they are known.'),
    rule(
      'idp-scans.progress',
      '`GET …/scans/progress` answers `totals` and `perScan`: four counts that add up to `totalRecords`, and `percentCompleted`, the share of the verified, with one decimal, 0 when there are no records.',
    ),
    rule('idp-scans.entitlement', 'Scans need `DATA_REMOVAL`.'),
    rule('idp-nhw.status', '`GET …/nhw/status` answers `{"hasWatches","watchAlertCount"}`.'),
    rule(
      'idp-nhw.watches',
      '`GET …/nhw/watches` answers `{"watches":[{"watchId","label","address","radiusMiles","active","createdAt","alertCount"}]}`.',
    ),
    rule('idp-nhw.alerts', '`GET …/nhw/alerts` answers the alerts of the class `NHW` in the shape of `/alerts`.'),
    rule('idp-nhw.entitlement', 'Neighborhood Watch needs `NEIGHBORHOOD_WATCH`.'),
  ],
};
