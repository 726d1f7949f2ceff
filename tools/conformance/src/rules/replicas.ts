import { rule, type Section } from './rule';

/** What holds however many processes an app has. */
export const REPLICAS: Section = {
  title: 'Several replicas',
  rules: [
    rule(
      'replicas.stop',
      'A replica that stops is not ready at once, serves for SHUTDOWN_DELAY_MS more, and fails no request.',
    ),
    rule('replicas.shards', 'The endpoints of postbacks are shared evenly: 64 shards, each owned by one replica.'),
    rule('replicas.partitions', 'The partitions of each topic are shared evenly.'),
    rule('replicas.relay', 'One replica of an app publishes its events; when it dies, another one does.'),
    rule('replicas.hang', 'A replica that hangs for 30 s and goes on loses nothing and does nothing twice.'),
    rule('replicas.cut', 'Nor does one whose network to its store is cut for 30 s; it is ready again afterwards.'),
  ],
};
