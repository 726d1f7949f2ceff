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
    rule('replicas.partitions', 'The replicas of an app share the partitions of each topic evenly.'),
    rule('replicas.relay', 'One replica of an app publishes the app’s events; when it dies, another one takes over.'),
    rule('replicas.hang', 'A replica that hangs for 30 s and then continues loses no work, and does no work twice.'),
    rule(
      'replicas.cut',
      'A replica whose network to its store is cut for 30 s loses no work, and does no work twice. Afterwards, the replica is ready again.',
    ),
    rule(
      'replicas.faults',
      'After faults of processes, networks, clocks, memory, Postgres, Kafka and disks, no acknowledged work is lost, and no work is done twice.',
    ),
    rule(
      'replicas.upgrade',
      'An app can change to a newer version and back while replicas of both versions serve: no work is lost or done twice.',
    ),
  ],
};
