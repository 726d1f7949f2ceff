/**
 * Runs three Kafka nodes on this machine. Each is a broker and a controller; acknowledged data is on at least two of
 * them.
 *
 *   const cluster = await startKafkaCluster();
 *   cluster.brokers                  // ['127.0.0.1:…', …]
 *   await cluster.nodes[0].end('SIGTERM'); await cluster.nodes[0].start();
 *   await cluster.stop();
 *
 * When this file is forked, it sends its parent `{ brokers }`, and executes the actions that the parent sends as
 * `{ node, action }`: `kill`, `terminate` or `start`. When an action has ended, it answers `{ node, done: action }`,
 * with an `error` if the action failed. It ends when its parent ends. Optional arguments are the data folder, which is
 * kept; the port that each broker advertises to clients; and settings of the brokers as `name=value`.
 */
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../ports/free-ports.js';
import { installKafka, launch } from './kafka.mjs';

/**
 * Replication as in production: three replicas, of which two must acknowledge; a replica that lacks acknowledged data
 * cannot become leader. The timeouts and intervals are short, so that a new leader is found quickly.
 */
const SETTINGS = `default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
unclean.leader.election.enable=false
replica.lag.time.max.ms=3000
controller.quorum.election.timeout.ms=500
controller.quorum.fetch.timeout.ms=1000
leader.imbalance.per.broker.percentage=0
leader.imbalance.check.interval.seconds=1
`;

/**
 * Starts three nodes, and waits until each of them serves consumer groups.
 *
 * @param {{ folder?: string, advertisedPorts?: number[], settings?: string[] }} [options] folder: the data folder; it
 *   is kept if given, otherwise it is a temporary folder that `stop` removes; advertisedPorts: the ports that the
 *   brokers advertise to clients, by default their own; settings: settings as `name=value`, which replace those of this
 *   file
 */
export async function startKafkaCluster({ folder, advertisedPorts, settings = [] } = {}) {
  const { classpath, formatted, archive } = await installKafka();
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'kafka-cluster-')));
  const free = await freePorts(9);
  const ports = [free.slice(0, 3), free.slice(3, 6), free.slice(6)];
  const voters = ports.map(([, controllerPort], index) => `${index + 1}@127.0.0.1:${controllerPort}`).join(',');
  const nodes = ports.map(([port, controllerPort, brokerPort], index) => {
    const dataDir = join(home, String(index + 1));
    mkdirSync(dataDir, { recursive: true });
    // The brokers use a separate listener to reach each other, so that a test can disturb the network of the clients
    // without disturbing the network of the brokers.
    const listeners = `listeners=PLAINTEXT://127.0.0.1:${port},BROKER://127.0.0.1:${brokerPort},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${advertisedPorts?.[index] ?? port},BROKER://127.0.0.1:${brokerPort}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=BROKER
`;
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
          cluster: {
            nodeId: index + 1,
            voters,
            settings: `${SETTINGS}${listeners}${settings.map((setting) => `${setting}\n`).join('')}`,
          },
        });
      },
      // The limit is long: a broker that was killed recovers its logs, on a machine that may be busy with other work.
      ready: () => broker.ready(Date.now() + 600_000),
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
    if (!folder) rmSync(home, { recursive: true, force: true });
  };
  try {
    for (const node of nodes) node.launch(); // all nodes start before the wait, because no node becomes ready alone: a quorum needs two
    await Promise.all(nodes.map((node) => node.ready()));
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers: ports.map(([port]) => `127.0.0.1:${port}`), nodes, stop };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, ...rest] = process.argv.slice(2);
  const settings = rest.filter((argument) => argument.includes('='));
  const advertised = rest.filter((argument) => !argument.includes('='));
  const cluster = await startKafkaCluster({
    folder,
    settings,
    ...(advertised.length > 0 && { advertisedPorts: advertised.map(Number) }),
  });
  const end = () => cluster.stop().then(() => process.exit(0));
  const actions = {
    kill: (node) => node.end('SIGKILL'),
    terminate: (node) => node.end('SIGTERM'),
    start: (node) => node.start(),
  };
  process.on('message', async ({ node, action }) => {
    const error = await actions[action](cluster.nodes[node]).catch((failure) => failure);
    if (process.connected) process.send({ node, done: action, ...(error && { error: error.message }) });
  });
  process.once('disconnect', end).once('SIGTERM', end).once('SIGINT', end);
  if (process.connected) process.send({ brokers: cluster.brokers });
  else {
    console.log(cluster.brokers.join(','));
    setInterval(() => undefined, 2 ** 30); // keeps this process running
  }
}
