import { rule, type Section } from './rule';

/** Promises for any number of processes of an app. */
export const REPLICAS: Section = {
  title: 'Several replicas',
  rules: [
    rule(
      'replicas.stop',
      'A stopping replica immediately reports that it is not ready, keeps serving for SHUTDOWN_DELAY_MS, and fails no request.',
    ),
    rule(
      'replicas.shards',
      'Endpoints of postbacks are divided into 64 shards. Each shard is owned by one replica, and each replica owns about the same number.',
    ),
    rule('replicas.partitions', 'The replicas share the partitions of each topic evenly.'),
    rule('replicas.relay', 'One replica of an app publishes the app’s events; when it dies, another one takes over.'),
    rule('replicas.hang', 'A replica that hangs for 30 s and then continues loses nothing and does nothing twice.'),
    rule(
      'replicas.cut',
      'A replica whose network to its store is cut for 30 s loses nothing and does nothing twice; it is ready again afterwards.',
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
