import { rule, type Section } from './rule';

/** Promises to teams that consume events. */
export const EVENTS: Section = {
  title: 'Events for other teams',
  rules: [
    rule(
      'events.installable',
      '`@tandem/contracts` can be packed and installed outside of this repository, compiles in strict mode, and depends on no framework.',
    ),
    rule('events.asyncapi', 'Its AsyncAPI 3.0 document is valid against the specification’s schema.'),
    rule('events.breaking-change', 'A removed, renamed or re-typed field of a released event fails CI.'),
    rule('events.free-change', 'An added optional field, or an added topic, does not.'),
    rule('events.old-samples', 'The current code accepts events of every release, with the same key.'),
    rule(
      'events.partner-changed',
      '`partner.changed` is published when a partner is created, renamed, activated or deactivated, without contact data.',
    ),
    rule('events.declared', 'The topology lists exactly the events that each app publishes and handles.'),
    rule(
      'events.exactly-once-effect',
      'A consumer that stores the event’s id with its effect can be killed at any moment: nothing is lost, nothing counted twice.',
    ),
  ],
};
