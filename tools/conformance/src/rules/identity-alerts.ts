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
      '`count` from 1 to 100 (default 50) and `offset` from 0 select a part of the whole list, which includes the alerts that the vendor has pushed but does not list yet.',
    ),
    rule('idp-alerts.bureau', '`bureau` (`idp`, `exp`, `tui`, `efx`) selects only the alerts of this bureau.'),
    rule(
      'idp-alerts.query',
      'A query value that is empty, repeated, unknown or out of range gets an `InputValidationFailure` that names the parameter.',
    ),
    rule('idp-alerts.profile-only', 'To read alerts, a user needs a profile, but no entitlement.'),
    rule('idp-alerts.details', 'The details of an alert have the form of the alert’s bureau.'),
    rule(
      'idp-alerts.path',
      'In a path, an unknown bureau gets an `InputValidationFailure` that names `bureau`. An id that is not a positive integer gets an `InputValidationFailure` that names `alertId`.',
    ),
    rule(
      'idp-alerts.unknown',
      'The id of an alert that the user does not have gets 404 in a path, and is skipped in `alertIds`.',
    ),
    rule(
      'idp-alerts.mark-one',
      '`PUT …/alerts/{alertId}/read` marks one alert as read, and `DELETE` on the same path marks it as unread. Both answer 204.',
    ),
    rule(
      'idp-alerts.mark-some',
      '`PUT` and `DELETE …/alerts/read` with `alertIds` mark the alerts with these ids; an empty list marks none.',
    ),
    rule(
      'idp-alerts.mark-all',
      'Without a body, or with `null`, `{}` or `{"alertIds":null}`, all existing alerts are marked. An alert whose push is stored after the request counts as existing only if the vendor lists it, created it before the request, and created it at most 5 s before the push was stored.',
    ),
    rule('idp-alerts.mark-bound', 'For each user, the newest 10,000 marks of single alerts are kept.'),
    rule(
      'idp-alerts.body',
      'A body that is not an object gets an `InputValidationFailure` that names `body`. If the body is an object that has other fields but no `alertIds`, the failure names `alertIds`; if an element is invalid, the failure names `alertIds[<index>]`.',
    ),
    rule(
      'idp-alerts.pushed',
      'An alert that the vendor has pushed is in the lists even before the vendor lists it. Until the vendor lists it, a request for its details gets 404.',
    ),
  ],
};

/** Sample data for clients. */
export const IDENTITY_MOCK: Section = {
  title: 'Identity: mock flags',
  rules: [
    rule(
      'idp-mock.flags',
      'The flags for sample alerts and sample scans are false at first. `POST …/me/mock/alerts|scans` sets a flag, and `DELETE` on the same path clears it. Both answer 204.',
    ),
    rule('idp-mock.alerts', 'Sample alerts appear in the lists and the dashboard while the flag is on.'),
    rule('idp-mock.scans', 'Sample scans appear in the list, the progress and the dashboard while the flag is on.'),
    rule('idp-mock.samples', 'Sample alerts have details and can be marked as read; samples are never stored.'),
    rule('idp-mock.entitlements', 'Sample scans need the same entitlements as real ones.'),
    rule('idp-mock.profile-only', 'To use the mock flags, a user needs a profile, but no entitlement.'),
    rule('idp-mock.production', 'In production, the configuration disables the routes: requests to them get 404.'),
  ],
};
