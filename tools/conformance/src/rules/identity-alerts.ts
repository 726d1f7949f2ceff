import { rule, type Section } from './rule';

/** Alert lists, details, and read state. */
export const IDENTITY_ALERTS: Section = {
  title: 'Identity: alerts',
  rules: [
    rule(
      'idp-alerts.item',
      '`GET …/me/alerts` answers `{"userAlerts":[{"alertId","bureau","class","createDate","updatedDate","read"}]}` with times in UTC.',
    ),
    rule('idp-alerts.newest-first', 'Alerts are listed newest first.'),
    rule(
      'idp-alerts.page',
      '`count` from 1 to 100 (default 50) and `offset` from 0 select a part of the whole list, including pushed alerts.',
    ),
    rule('idp-alerts.bureau', '`bureau` (`idp`, `exp`, `tui`, `efx`) returns only the alerts of that source.'),
    rule(
      'idp-alerts.query',
      'A query value that is empty, repeated, unknown or out of range is an `InputValidationFailure` with the name of the parameter.',
    ),
    rule('idp-alerts.profile-only', 'Alerts need a profile, and no entitlement.'),
    rule('idp-alerts.details', 'Details of an alert have the shape of the alert’s source.'),
    rule(
      'idp-alerts.path',
      'In a path, an unknown bureau is an `InputValidationFailure` with `bureau`; an id that is not a positive integer is an `InputValidationFailure` with `alertId`.',
    ),
    rule(
      'idp-alerts.unknown',
      'An id that is not one of the user’s alerts is 404 in a path, and is skipped in `alertIds`.',
    ),
    rule('idp-alerts.mark-one', '`PUT` and `DELETE …/alerts/{alertId}/read` mark one alert read and unread: 204.'),
    rule(
      'idp-alerts.mark-some',
      '`PUT` and `DELETE …/alerts/read` with `alertIds` mark those alerts; an empty list marks none.',
    ),
    rule(
      'idp-alerts.mark-all',
      'Without a body, or with `null`, `{}` or `{"alertIds":null}`, all existing alerts are marked. An alert that arrives later is unread, even if the vendor created it more than 5 s earlier.',
    ),
    rule('idp-alerts.mark-bound', 'For each user, the newest 10,000 marks of single alerts are kept.'),
    rule(
      'idp-alerts.body',
      'A body that is not an object is an `InputValidationFailure` with `body`. For an object that has other fields but no `alertIds`, the failure names `alertIds`; for an invalid element, `alertIds[<index>]`.',
    ),
    rule(
      'idp-alerts.pushed',
      'A pushed alert is in the lists before the vendor lists it; its details are 404 until then.',
    ),
  ],
};

/** Sample data for clients. */
export const IDENTITY_MOCK: Section = {
  title: 'Identity: mock flags',
  rules: [
    rule(
      'idp-mock.flags',
      'Both flags are false at first; `POST` and `DELETE …/me/mock/alerts|scans` set or clear a flag: 204.',
    ),
    rule('idp-mock.alerts', 'Sample alerts appear in the lists and the dashboard while the flag is on.'),
    rule('idp-mock.scans', 'Sample scans appear in the list, the progress and the dashboard while the flag is on.'),
    rule('idp-mock.samples', 'Sample alerts have details and can be marked as read; samples are never stored.'),
    rule('idp-mock.entitlements', 'Sample scans need the same entitlements as real ones.'),
    rule('idp-mock.profile-only', 'Mock flags need a profile, and no entitlement.'),
    rule('idp-mock.production', 'In production the routes are disabled by configuration (404).'),
  ],
};
