import { rule, type Section } from './rule';

/** What the vendor's webhooks and payments do to users. */
export const IDENTITY_EVENTS: Section = {
  title: 'Identity: what the vendor and payments tell',
  rules: [
    rule(
      'idp-events.alert',
      'An alert that the vendor pushes is in the lists at once, with what the push said; its details are 404 until the vendor knows it.',
    ),
    rule('idp-events.alert-update', 'A newer push changes a pushed alert, an older one does not.'),
    rule(
      'idp-events.alert-bound',
      'Of alerts that were pushed a user has the newest 100, those that the vendor lists for 365 days at most.',
    ),
    rule(
      'idp-events.unknown-bureau',
      'A push of an unknown bureau is stored and logged, and in no list until the vendor lists it.',
    ),
    rule('idp-events.unknown-user', 'What is told of an unknown or a deleted user is logged, and stores nothing.'),
    rule(
      'idp-events.cancelled',
      'An enrollment that the vendor ends by itself is inactive, reason `vendor`, published as `enrollment.changed`.',
    ),
    rule('idp-events.until-asked', 'It stays so until the next enroll, migration, sync or purchase.'),
    rule(
      'idp-events.started',
      'An enrollment that the vendor starts is active; so is one whose end the vendor takes back.',
    ),
    rule('idp-events.echo', 'A webhook that echoes our own enroll or un-enroll changes nothing, however late it is.'),
    rule(
      'idp-events.older',
      'A report that is no longer true changes nothing: the vendor’s state counts, and an older verification never overwrites a newer one.',
    ),
    rule(
      'idp-events.race',
      'No event waits for a request or the vendor; what the vendor changes during a run is seen by the next one.',
    ),
    rule('idp-events.unknown-code', 'An unknown product code is logged and ignored.'),
    rule(
      'idp-events.identity',
      '`authentication` sets `authenticated` and `lastAuthAttempt`; it counts no attempt and resets none.',
    ),
    rule('idp-events.batch', 'Events of many users in any order are handled without a deadlock.'),
    rule('idp-payments.overview', 'A plan change shows in the overview of monitors.'),
    rule('idp-payments.owner', 'A subscription that goes to another user is taken from the one who had it.'),
    rule(
      'idp-payments.keys',
      'Events of one subscription that are handled at once, by KRN and by subscription, are all kept.',
    ),
  ],
};
