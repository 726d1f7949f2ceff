import { rule, type Section } from './rule';

/** What holds however many processes an app has. */
export const REPLICAS: Section = {
  title: 'Several replicas',
  rules: [
    rule(
      'replicas.stop',
      'A replica that stops is not ready at once, serves for SHUTDOWN_DELAY_MS more, and fails no request.',
    ),
  ],
};
