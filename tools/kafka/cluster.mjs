/**
 * Runs three Kafka nodes on this machine, each a broker and controller. Acknowledged data is on at least two of them.
 *
 *   const cluster = await startKafkaCluster();
 *   cluster.brokers                  // ['127.0.0.1:…', …]
 *   await cluster.nodes[0].end('SIGTERM'); await cluster.nodes[0].start();
 *   await cluster.stop();
 *
 * When forked, it sends its parent `{ brokers }` and executes the parent's messages: it answers
 * `{ node, action: 'kill' | 'terminate' | 'start' }` when the action is done. It ends when its parent ends.
 */
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, installKafka, launch } from './kafka.mjs';

/** As in production: three replicas, two of which must acknowledge, and no leader that lacks acknowledged data. */
const SETTINGS = `default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
unclean.leader.election.enable=false
replica.lag.time.max.ms=3000
controller.quorum.election.timeout.ms=500
controller.quorum.fetch.timeout.ms=1000
`;

/** Starts three nodes in temporary folders, and waits until each serves consumer groups. */
export async function startKafkaCluster() {
  const { classpath, formatted, archive } = await installKafka();
  const home = await mkdtemp(join(tmpdir(), 'kafka-cluster-'));
  const ports = [await freePorts(), await freePorts(), await freePorts()];
  const voters = ports.map(([, controllerPort], index) => `${index + 1}@127.0.0.1:${controllerPort}`).join(',');
  const nodes = ports.map(([port, controllerPort], index) => {
    const dataDir = join(home, String(index + 1));
    mkdirSync(dataDir);
    let broker;
    const node = {
      launch() {
        broker = launch({
          classpath,
          formatted,
          dataDir,
          port,
          controllerPort,
          extra: [`-XX:SharedArchiveFile=${archive}`],
          cluster: { nodeId: index + 1, voters, settings: SETTINGS },
        });
      },
      ready: () => broker.ready(),
      async start() {
        node.launch();
        await node.ready();
      },
      end: (signal) => broker.end(signal),
    };
    return node;
  });
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.end('SIGKILL')));
    rmSync(home, { recursive: true, force: true });
  };
  try {
    for (const node of nodes) node.launch(); // a quorum needs two of them, so none becomes ready alone
    await Promise.all(nodes.map((node) => node.ready()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers: ports.map(([port]) => `127.0.0.1:${port}`), nodes, stop };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const cluster = await startKafkaCluster();
  const end = () => cluster.stop().then(() => process.exit(0));
  const actions = {
    kill: (node) => node.end('SIGKILL'),
    terminate: (node) => node.end('SIGTERM'),
    start: (node) => node.start(),
  };
  process.on('message', async ({ node, action }) => {
    await actions[action](cluster.nodes[node]);
    if (process.connected) process.send({ done: action });
  });
  process.once('disconnect', end).once('SIGTERM', end).once('SIGINT', end);
  if (process.connected) process.send({ brokers: cluster.brokers });
  else {
    console.log(cluster.brokers.join(','));
    setInterval(() => undefined, 2 ** 30); // stay
  }
}
