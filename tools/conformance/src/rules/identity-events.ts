import { rule, type Section } from './rule';

/** The effect of the vendor's webhooks and of payments on users. */
export const IDENTITY_EVENTS: Section = {
  title: 'Identity: events of the vendor and payments',
  rules: [
    rule(
      'idp-events.alert',
      'An alert that the vendor pushes is in the lists at once, with the content of the push. A request for its details gets 404 until the vendor lists the alert.',
    ),
    rule(
      'idp-events.alert-created',
      'A pushed alert that is stored for the first time is published as `alert.created`, once per alert, without the data that was found.',
    ),
    rule('idp-events.alert-update', 'A newer push changes a pushed alert; an older push does not.'),
    rule(
      'idp-events.alert-bound',
      'The newest 100 pushed alerts of a user are kept. When an alert is pushed for a user, pushed alerts of this user that are older than 365 days are deleted if the vendor has listed them.',
    ),
    rule(
      'idp-events.unknown-bureau',
      'A push with an unknown bureau is stored and logged, but its alert is not listed until the vendor lists it.',
    ),
    rule('idp-events.unknown-user', 'Events of an unknown or deleted user are logged, but not stored.'),
    rule(
      'idp-events.cancelled',
      'An enrollment that the vendor itself ends becomes inactive with the reason `vendor`. The change is published as `enrollment.changed`.',
    ),
    rule(
      'idp-events.until-asked',
      'An enrollment that the vendor ended stays inactive until the next enroll, migration, sync or paid purchase.',
    ),
    rule(
      'idp-events.started',
      'An enrollment becomes active when the vendor starts it, even if the vendor itself had ended it before.',
    ),
    rule(
      'idp-events.echo',
      'A webhook that echoes our own enroll or un-enroll changes nothing, however late the webhook arrives.',
    ),
    rule(
      'idp-events.older',
      'A webhook that reports an outdated state changes nothing: an enrollment follows the vendor’s current state, and an older verification never overwrites a newer one.',
    ),
    rule(
      'idp-events.race',
      'Handling an event waits neither for a request nor for the vendor. If the vendor changes an enrollment during a reconciliation, the next reconciliation sees the change.',
    ),
    rule('idp-events.unknown-code', 'A webhook with an unknown product code is logged and ignored.'),
    rule(
      'idp-events.identity',
      'An `authentication` webhook sets `authenticated` and `lastAuthAttempt`. It neither counts as an attempt nor resets the count of attempts.',
    ),
    rule('idp-events.batch', 'Events of many users in any order are handled without a deadlock.'),
    rule('idp-payments.overview', 'A plan change is visible in the monitor overview.'),
    rule('idp-payments.owner', 'A subscription that moves to another user is removed from its previous user.'),
    rule(
      'idp-payments.keys',
      'Concurrent events of one subscription are all applied, whether the message key of an event is the user’s KRN or the subscription’s id.',
    ),
  ],
};
