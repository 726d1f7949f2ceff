import { rule, type Section } from './rule';

/** The lists of alerts, their details, and what the user has read. */
export const IDENTITY_ALERTS: Section = {
  title: 'Identity: alerts',
  rules: [
    rule(
      'idp-alerts.item',
      '`GET …/me/alerts` answers `{"userAlerts":[{"alertId","bureau","class","createDate","updatedDate","read"}]}`, times in UTC.',
    ),
    rule('idp-alerts.newest-first', 'The newest first.'),
    rule(
      'idp-alerts.page',
      '`count` 1–100 (50 when left out) and `offset` ≥ 0, of any size, choose a part of the whole list, pushed alerts included.',
    ),
    rule('idp-alerts.bureau', '`bureau` (`idp`, `exp`, `tui`, `efx`) leaves only the alerts of that source.'),
    rule(
      'idp-alerts.query',
      'A value of the query that is empty, repeated, unknown or out of range is an `InputValidationFailure` with its name.',
    ),
    rule('idp-alerts.profile-only', 'Alerts need a profile, and no entitlement.'),
    rule('idp-alerts.details', 'Details are in the shape of their source.'),
    rule(
      'idp-alerts.path',
      'An unknown bureau is an `InputValidationFailure` with `bureau`, an id that is no positive integer one with `alertId`.',
    ),
    rule('idp-alerts.unknown', 'An id that no alert of the user has is 404 in a path; inside of a list it is skipped.'),
    rule('idp-alerts.mark-one', '`PUT` and `DELETE …/alerts/{alertId}/read` mark one alert read and unread: 204.'),
    rule(
      'idp-alerts.mark-some',
      '`PUT` and `DELETE …/alerts/read` with `alertIds` mark those; an empty list marks none.',
    ),
    rule(
      'idp-alerts.mark-all',
      'No body, `null`, `{}` and `{"alertIds":null}` mark all alerts that there are; one that comes in later is unread, whenever the vendor created it.',
    ),
    rule('idp-alerts.mark-bound', 'Of the marks of single alerts a user has the newest 10,000.'),
    rule(
      'idp-alerts.body',
      'A body that is no object is an `InputValidationFailure` with `body`, fields without `alertIds` one with `alertIds`, a bad element one with `alertIds[<index>]`.',
    ),
    rule(
      'idp-alerts.pushed',
      'An alert that the vendor told of is in the lists before the vendor lists it; its details are 404 until then.',
    ),
  ],
};

/** Sample data for clients. */
export const IDENTITY_MOCK: Section = {
  title: 'Identity: mock flags',
  rules: [
    rule(
      'idp-mock.flags',
      'Both flags are false at first; `POST` and `DELETE …/me/mock/alerts|scans` set and clear one: 204.',
    ),
    rule('idp-mock.alerts', 'Sample alerts stand in the lists and the dashboard while the flag is on.'),
    rule('idp-mock.scans', 'Sample scans stand in the list, the progress and the dashboard while the flag is on.'),
    rule('idp-mock.samples', 'Sample alerts have details and can be marked as read; samples are never stored.'),
    rule('idp-mock.entitlements', 'What is needed to see real scans is needed to see samples.'),
    rule('idp-mock.profile-only', 'Mock flags need a profile, and no entitlement.'),
    rule('idp-mock.production', 'In production the routes do not exist (404), by configuration.'),
  ],
};
