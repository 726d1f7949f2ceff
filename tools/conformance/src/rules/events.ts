import { rule, type Section } from './rule';

/** What teams that consume events rely on. */
export const EVENTS: Section = {
  title: 'Events for other teams',
  rules: [
    rule(
      'events.installable',
      '`@tandem/contracts` can be packed and installed outside of this repository, compiles in strict mode, and brings no framework.',
    ),
    rule('events.asyncapi', 'Its AsyncAPI 3.0 document is valid by the schema of the specification.'),
    rule('events.breaking-change', 'A removed, renamed or re-typed field of a released event fails CI.'),
    rule('events.free-change', 'An added optional field, or an added topic, does not.'),
    rule('events.old-samples', 'Events as they were released are accepted by the present code, with the same key.'),
    rule('events.declared', 'The topology names what each app publishes and handles, and nothing else.'),
    rule(
      'events.exactly-once-effect',
      'A consumer that stores the event’s id with its effect can be killed at any moment: nothing is lost, nothing counted twice.',
    ),
  ],
};
