import { rule, type Section } from './rule';

/** Data read from the vendor, except alerts. */
export const IDENTITY_STATUS: Section = {
  title: 'Identity: dashboard and status',
  rules: [
    rule(
      'idp-dashboard.sections',
      'The dashboard has `userAlerts`, `creditScoreHistory`, `dataRemovalProgress`, `monitorsOverview`, `neighborhoodWatchStatus` and `financialAccountsStatus`. Each section is `{"Ok":…}` with the answer of its own endpoint, or `{"Err":"…"}`.',
    ),
    rule('idp-dashboard.page', '`count` and `offset` of the dashboard apply to its alerts.'),
    rule(
      'idp-dashboard.isolation',
      'A section that fails is `{"Err":"provider unavailable"}`. The answer is still 200, and the other sections are not affected.',
    ),
    rule('idp-dashboard.deadline', 'A section that takes longer than 3 s (configurable) counts as failed.'),
    rule(
      'idp-dashboard.entitlements',
      'A section for which the user lacks the entitlement is `{"Err":"entitlements required"}`.',
    ),
    rule('idp-dashboard.profile-only', 'To read the dashboard, a user needs a profile.'),
    rule(
      'idp-monitors.overview',
      '12 categories are available to a user, and 17 with `TITLE_MONITORING`. Without `TITLE_MONITORING`, the overview lists the other 5 as part of higher plans.',
    ),
    rule('idp-monitors.profile-only', 'To read the monitor overview, a user needs a profile, but no entitlement.'),
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
      'A user may send 60 requests per minute, not counting create, enroll, token and dashboard requests. A further request gets 429 `{"error":"rate limited"}` with `Retry-After`.',
    ),
    rule('idp-limits.dashboard', 'A user may request 20 dashboards per minute.'),
    rule(
      'idp-vendor.read-failure',
      'A read gets 502 when the vendor fails, and 504 when the vendor times out. Stored data does not change.',
    ),
  ],
};

/** Scans of data brokers, and watched neighborhoods. */
export const IDENTITY_SCANS: Section = {
  title: 'Identity: scans and Neighborhood Watch',
  rules: [
    rule('idp-scans.item', '`GET …/me/scans` answers an array of scans; times that are not known yet are null.'),
    rule(
      'idp-scans.progress',
      '`GET …/scans/progress` answers `totals` and `perScan`. Each has four counts that add up to `totalRecords`, and `percentCompleted`: the percentage of records that are verified, with one decimal, or 0 if there are no records.',
    ),
    rule('idp-scans.entitlement', 'Scans need `DATA_REMOVAL`.'),
    rule('idp-nhw.status', '`GET …/nhw/status` answers `{"hasWatches","watchAlertCount"}`.'),
    rule(
      'idp-nhw.watches',
      '`GET …/nhw/watches` answers `{"watches":[{"watchId","label","address","radiusMiles","active","createdAt","alertCount"}]}`.',
    ),
    rule(
      'idp-nhw.alerts',
      '`GET …/nhw/alerts` answers the user’s alerts of the class `NHW`, in the form of `GET …/me/alerts`.',
    ),
    rule('idp-nhw.entitlement', 'Neighborhood Watch needs `NEIGHBORHOOD_WATCH`.'),
  ],
};
