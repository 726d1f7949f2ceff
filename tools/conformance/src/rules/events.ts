import { rule, type Section } from './rule';

/** Promises to teams that consume events. */
export const EVENTS: Section = {
  title: 'Events for other teams',
  rules: [
    rule(
      'events.installable',
      '`@tandem/contracts` can be packed and installed outside of this repository, compiles in strict mode, and depends on no framework.',
    ),
    rule(
      'events.asyncapi',
      'The AsyncAPI 3.0 document of `@tandem/contracts` is valid against the specification’s schema.',
    ),
    rule('events.breaking-change', 'A removed, renamed or re-typed field of a released event makes CI fail.'),
    rule('events.free-change', 'An added optional field and an added topic do not make CI fail.'),
    rule(
      'events.old-samples',
      'The current event classes accept the samples of every release, and give each sample the same message key as that release.',
    ),
    rule(
      'events.partner-changed',
      '`partner.changed` is published when a partner is created, renamed, activated or deactivated. The event has no contact data.',
    ),
    rule('events.declared', 'The topology lists exactly the events that each app publishes and handles.'),
    rule(
      'events.exactly-once-effect',
      'If a consumer stores the event’s id in the transaction that stores the event’s effect, the consumer can be killed at any moment: no event is lost or counted twice.',
    ),
  ],
};
