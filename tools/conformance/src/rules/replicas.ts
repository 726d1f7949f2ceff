import { rule, type Section } from './rule';

/** Promises for any number of processes of an app. */
export const REPLICAS: Section = {
  title: 'Several replicas',
  rules: [
    rule(
      'replicas.stop',
      'A stopping replica reports not ready at once, keeps serving for SHUTDOWN_DELAY_MS, and fails no request.',
    ),
    rule('replicas.shards', 'The endpoints of postbacks are shared evenly: 64 shards, each owned by one replica.'),
    rule('replicas.partitions', 'The partitions of each topic are shared evenly.'),
    rule('replicas.relay', 'One replica of an app publishes its events; when it dies, another one takes over.'),
    rule('replicas.hang', 'A replica that hangs for 30 s and continues loses nothing and does nothing twice.'),
    rule(
      'replicas.cut',
      'The same holds for a replica whose network to its store is cut for 30 s; it is ready again afterwards.',
    ),
    rule(
      'replicas.faults',
      'Faults of processes, networks, clocks, memory, Postgres, Kafka and disks lose nothing that was acknowledged, and do nothing twice.',
    ),
    rule(
      'replicas.upgrade',
      'An app changes to a newer version and back while replicas of both versions serve; nothing is lost or done twice.',
    ),
  ],
};
