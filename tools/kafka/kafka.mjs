#!/usr/bin/env node
// Runs a real Apache Kafka broker for tests, npm start and benches, without Docker: the local Java runs the broker's own
// jars from Maven Central. This needs `java` (17 or later) and, the first time, `mvn`.
//
//   node kafka.mjs              starts a broker, prints KAFKA_BROKERS=host:port, and runs until Ctrl-C or SIGTERM
//   node kafka.mjs --install    only fills the cache
//   options: --cache DIR  --data DIR  --port N  --version 3.9.2
//
// When this file is forked, it sends its parent `{ ready, brokers, pid }` instead of printing. It stops the broker when
// the parent ends, and ends when the broker has ended.

import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { freePorts } from '../ports/free-ports.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const run = promisify(execFile);
export const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
export const jvmOptions = `@${join(here, 'jvm.options')}`;

const PID_FILE = 'broker.pid';

/** The id of the cluster. Any valid id will do, because these brokers never join another cluster. */
const CLUSTER_ID = 'dGVzdC1icm9rZXItMDAwMA';

// The shell script that starts the broker. It ends the broker when the script's stdin closes, so the broker cannot outlive a
// killed test run. After the exec, `$$` is the process id of Java.
const LIFELINE = 'exec 3<&0; (cat <&3 >/dev/null; kill $$) 2>/dev/null & exec "$@" 3<&- </dev/null';

/**
 * Fills the cache if it is empty, with the jars, a formatted empty data folder, and a class archive that makes each
 * start faster. Several processes may call this concurrently.
 *
 * @param {{ cacheDir?: string, version?: string }} [options] version: any version of org.apache.kafka:kafka_2.13;
 *   default: KAFKA_VERSION or, without this variable, the version in the pom
 * @returns {Promise<{ classpath: string, formatted: string, archive: string }>}
 */
export async function installKafka({ cacheDir = defaultCacheDir(), version = process.env.KAFKA_VERSION } = {}) {
  await requireJava();
  const pom = readFileSync(join(here, 'pom.xml'), 'utf8');
  version ??= /<kafka\.version>(.+?)</.exec(pom)[1];
  const home = join(
    resolve(cacheDir),
    `kafka-${version}-${createHash('sha256').update(pom).digest('hex').slice(0, 8)}`,
  );
  mkdirSync(home, { recursive: true });

  const lib = await once(join(home, 'lib'), (target) =>
    command('mvn', [
      '-B',
      '-q',
      '-ntp',
      '--strict-checksums',
      '-f',
      join(here, 'pom.xml'),
      `-Dkafka.version=${version}`,
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${target}`,
    ]),
  );
  const classpath = readdirSync(lib)
    .sort()
    .map((jar) => join(lib, jar))
    .join(':');

  const formatted = await once(join(home, 'formatted'), async (target) => {
    const config = `${target}.properties`;
    writeSettings(config, { port: 9092, controllerPort: 9093, logDir: target });
    await command(java, [
      jvmOptions,
      '-cp',
      classpath,
      'kafka.tools.StorageTool',
      'format',
      '-t',
      CLUSTER_ID,
      '-c',
      config,
    ]);
    rmSync(config);
  });

  // The option -XX:ArchiveClassesAtExit makes Java write the archive when the broker stops.
  const archive = await once(join(home, 'classes.jsa'), async (target) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'kafka-warm-up-'));
    const [port, controllerPort] = await freePorts(2);
    const broker = launch({
      classpath,
      formatted,
      dataDir,
      port,
      controllerPort,
      extra: [`-XX:ArchiveClassesAtExit=${target}`],
    });
    await broker.ready();
    await broker.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { classpath, formatted, archive };
}

/**
 * Starts a broker on the loopback interface and waits until it serves consumer groups.
 *
 * @param {{ cacheDir?: string, version?: string, dataDir?: string, port?: number }} [options] dataDir: the data folder;
 *   it is kept if given, otherwise it is a temporary folder that `stop` removes; port: by default a free one
 * @returns the broker: `brokers` ('127.0.0.1:port'), `pid`, `dataDir`; `stop()` stops it cleanly, `kill()` ends it with
 *   SIGKILL, and `start()` restarts it with the same port and data
 */
export async function startKafka(options = {}) {
  const { classpath, formatted, archive } = await installKafka(options);
  const dataDir = options.dataDir ? resolve(options.dataDir) : await mkdtemp(join(tmpdir(), 'kafka-'));
  mkdirSync(dataDir, { recursive: true });
  await endLeftover(dataDir);
  const [freePort, controllerPort] = await freePorts(2);
  const port = options.port ?? freePort;

  const forget = () => options.dataDir || rmSync(dataDir, { recursive: true, force: true });

  let broker;
  const kafka = {
    brokers: `127.0.0.1:${port}`,
    dataDir,
    get pid() {
      return broker.pid;
    },
    /** Resolves when the process of the broker has ended in any way. */
    exited: () => broker.exited(),
    async start() {
      broker = launch({
        classpath,
        formatted,
        dataDir,
        port,
        controllerPort,
        extra: [`-XX:SharedArchiveFile=${archive}`],
      });
      await broker.ready();
      return kafka;
    },
    async kill() {
      await broker.end('SIGKILL');
    },
    async stop() {
      await broker.end('SIGTERM');
      forget();
    },
  };
  return kafka.start().catch((error) => {
    forget();
    throw error;
  });
}

/** Stops the broker that an earlier start left running in the folder, if any, and waits until it has ended. */
async function endLeftover(dataDir) {
  const file = join(dataDir, PID_FILE);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const runs = async () =>
    pid > 0 &&
    (
      await run('ps', ['-p', String(pid), '-o', 'args=']).then(
        ({ stdout }) => stdout,
        () => '',
      )
    ).includes(dataDir);
  if (await runs()) process.kill(pid, 'SIGTERM');
  for (const deadline = Date.now() + 20_000; await runs(); await sleep(50)) {
    if (Date.now() > deadline) process.kill(pid, 'SIGKILL');
  }
}

/**
 * Starts one node.
 * @param {{ classpath: string, formatted: string, dataDir: string, port: number, controllerPort: number,
 *   extra: string[], cluster?: { nodeId: number, voters: string, settings: string } }} node  extra: options of Java;
 *   cluster: for a node of a cluster
 */
export function launch({ classpath, formatted, dataDir, port, controllerPort, extra, cluster }) {
  const config = join(dataDir, 'server.properties');
  const logDir = join(dataDir, 'log');
  const output = join(dataDir, 'broker.log');
  writeSettings(config, { port, controllerPort, logDir, cluster });
  if (!existsSync(logDir)) {
    cpSync(formatted, logDir, { recursive: true });
    if (cluster) becomeNode(logDir, cluster.nodeId);
  }

  const fd = openSync(output, 'a');
  const child = spawn(
    'sh',
    ['-c', LIFELINE, 'kafka', java, jvmOptions, ...extra, '-cp', classpath, 'kafka.Kafka', config],
    {
      stdio: ['pipe', fd, fd],
      detached: true, // so that Ctrl-C in a terminal reaches only the program that started the broker, which then stops the broker
    },
  );
  closeSync(fd);
  if (child.pid) writeFileSync(join(dataDir, PID_FILE), String(child.pid));
  child.unref();
  /** @type {import('node:net').Socket} */ (child.stdin).unref();
  child.stdin.on('error', () => undefined);
  const exited = new Promise((done) => child.once('exit', done));
  const ended = () => child.exitCode !== null || child.signalCode !== null;

  return {
    pid: child.pid,
    exited() {
      child.ref();
      return exited;
    },
    async ready(deadline = Date.now() + 60_000) {
      while (!(await hasGroupCoordinator(port))) {
        if (ended() || Date.now() > deadline) {
          child.kill('SIGKILL');
          const how = ended() ? `ended with ${child.exitCode ?? child.signalCode}` : 'did not start in time';
          const lines = readFileSync(output, 'utf8').trimEnd().split('\n');
          const errors = lines.filter((line) => /ERROR|Exception/.test(line));
          throw new Error(`Kafka on port ${port} ${how}:\n${[...errors.slice(-8), ...lines.slice(-4)].join('\n')}`);
        }
        await sleep(25);
      }
    },
    async end(signal) {
      if (!ended()) {
        child.ref();
        child.kill(signal);
        const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
        await exited;
        clearTimeout(timer);
      }
    },
  };
}

/** @param {string} file @param {{ port: number, controllerPort: number, logDir: string, cluster?: any }} node */
function writeSettings(file, { port, controllerPort, logDir, cluster }) {
  writeFileSync(
    file,
    `${readFileSync(join(here, 'server.properties'), 'utf8')}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.quorum.voters=${cluster?.voters ?? `1@127.0.0.1:${controllerPort}`}
log.dirs=${logDir}
${cluster ? `node.id=${cluster.nodeId}\n${cluster.settings}` : ''}`,
  );
}

/**
 * Adapts the formatted folder, which has the ids of node 1, to another node: sets the node's id, and removes the
 * directory id, which the node creates when it starts.
 */
function becomeNode(logDir, nodeId) {
  const file = join(logDir, 'meta.properties');
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('directory.id='))
    .map((line) => (line.startsWith('node.id=') ? `node.id=${nodeId}` : line));
  writeFileSync(file, lines.join('\n'));
}

/**
 * Returns whether a broker serves consumer groups. Sends a FindCoordinator request, written by hand: the error code of
 * the answer is 0 only when the broker is unfenced and the offsets topic has a leader.
 */
function hasGroupCoordinator(port) {
  const request = Buffer.from([
    0,
    0,
    0,
    17,
    0,
    10,
    0,
    0,
    0,
    0,
    0,
    1,
    0,
    2,
    ...Buffer.from('up'),
    0,
    3,
    ...Buffer.from('up?'),
  ]);
  return new Promise((done) => {
    let answer = Buffer.alloc(0);
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    const end = (ready) => {
      socket.destroy();
      done(ready);
    };
    socket.setTimeout(2_000, () => end(false));
    socket.on('error', () => end(false)).on('close', () => end(false));
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]); // size int32, correlation id int32, error code int16, …
      if (answer.length >= 10) end(answer.readInt16BE(8) === 0);
    });
  });
}

/**
 * Creates a file or folder under a temporary name and renames it, so that an entry of the cache is either complete or
 * absent.
 */
async function once(path, make) {
  if (existsSync(path)) return path;
  const draft = `${path}.${process.pid}`;
  try {
    await make(draft);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(path)) throw error; // if it exists, another process was faster
  }
  return path;
}

/** Checks that this machine has the Java that a broker needs. @throws Error with a message for people */
export async function requireJava() {
  const { stderr } = await command(java, ['-version']);
  const major = Number(/version "(\d+)/.exec(stderr)?.[1]);
  if (!(major >= 17)) throw new Error(`Kafka needs Java 17 or later; ${java} is ${stderr.split('\n')[0]}`);
}

export async function command(file, args) {
  try {
    return await run(file, args, { maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`this Kafka broker needs ${file}, which is not installed`);
    throw new Error(`${file} failed:\n${error.stdout ?? ''}${error.stderr ?? error.message}`.slice(0, 4000));
  }
}

function defaultCacheDir() {
  return process.env.KAFKA_CACHE_DIR ?? join(homedir(), '.cache', 'test-kafka');
}

async function main() {
  const { values } = parseArgs({
    options: {
      install: { type: 'boolean' },
      cache: { type: 'string' },
      data: { type: 'string' },
      port: { type: 'string' },
      version: { type: 'string' },
    },
  });
  const options = {
    cacheDir: values.cache,
    dataDir: values.data,
    port: values.port && Number(values.port),
    version: values.version,
  };
  if (values.install) return installKafka(options);

  const kafka = await startKafka(options);
  let stopping = false;
  const stop = () => {
    stopping = true;
    return kafka.stop().then(() => process.exit(0));
  };
  for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(event, stop);
  if (!process.send) console.log(`KAFKA_BROKERS=${kafka.brokers}`);
  else if (process.connected) process.send({ ready: true, brokers: kafka.brokers, pid: kafka.pid });
  else await stop(); // the parent ended while the broker was starting
  await kafka.exited();
  if (!stopping) process.exit(1);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}
