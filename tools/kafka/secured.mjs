/**
 * Runs a broker whose second listener works as in production: clients log in with SCRAM-SHA-512 over TLS, and a user
 * may do only what its rights (ACLs) allow. The first listener requires no login and allows everything: the caller uses
 * it to grant the rights.
 *
 * When this file is forked with the users as JSON (`{ name: password }`), it sends its parent
 * `{ brokers, loginBrokers, ca }`, and ends when the parent ends.
 */
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../ports/free-ports.js';
import { command, installKafka, java, jvmOptions, launch } from './kafka.mjs';

const STORE_PASSWORD = 'changeit';

/** Starts the broker and creates its users. @param {Record<string, string>} users passwords by name */
export async function startSecuredKafka(users) {
  const { classpath, formatted, archive } = await installKafka();
  const home = await mkdtemp(join(tmpdir(), 'kafka-secured-'));
  const [port, controllerPort, loginPort] = await freePorts(3);
  const { store, ca } = await makeCertificate(home);
  const dataDir = join(home, 'data');
  mkdirSync(dataDir);
  const broker = launch({
    classpath,
    formatted,
    dataDir,
    port,
    controllerPort,
    extra: [`-XX:SharedArchiveFile=${archive}`],
    cluster: {
      nodeId: 1,
      voters: `1@127.0.0.1:${controllerPort}`,
      settings: `listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort},SASL_SSL://127.0.0.1:${loginPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port},SASL_SSL://localhost:${loginPort}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_SSL:SASL_SSL
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
ssl.keystore.type=PKCS12
ssl.keystore.location=${store}
ssl.keystore.password=${STORE_PASSWORD}
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
`,
    },
  });
  const stop = async () => {
    await broker.end('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  };
  try {
    await broker.ready();
    for (const [name, password] of Object.entries(users)) await addUser({ classpath, port }, name, password);
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers: [`127.0.0.1:${port}`], loginBrokers: [`localhost:${loginPort}`], ca, stop };
}

/** Creates a key with a self-signed certificate, using the keytool that comes with Java. */
async function makeCertificate(home) {
  const keytool = java.includes('/') ? join(dirname(java), 'keytool') : 'keytool';
  const store = join(home, 'broker.p12');
  const access = ['-keystore', store, '-storepass', STORE_PASSWORD, '-alias', 'broker'];
  const key = ['-keyalg', 'EC', '-groupname', 'secp256r1', '-storetype', 'PKCS12'];
  const name = ['-dname', 'CN=localhost', '-ext', 'san=dns:localhost,ip:127.0.0.1', '-ext', 'bc=ca:true'];
  await command(keytool, ['-genkeypair', ...access, ...key, ...name, '-validity', '2']);
  const { stdout: ca } = await command(keytool, ['-exportcert', '-rfc', ...access]);
  return { store, ca };
}

function addUser({ classpath, port }, name, password) {
  const tool = [jvmOptions, '-cp', classpath, 'kafka.admin.ConfigCommand', '--bootstrap-server', `127.0.0.1:${port}`];
  const user = ['--entity-type', 'users', '--entity-name', name];
  return command(java, [...tool, '--alter', '--add-config', `SCRAM-SHA-512=[password=${password}]`, ...user]);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { stop, ...secured } = await startSecuredKafka(JSON.parse(process.argv[2] ?? '{}'));
  const end = () => stop().then(() => process.exit(0));
  process.once('disconnect', end).once('SIGTERM', end).once('SIGINT', end);
  if (process.connected) process.send(secured);
  else {
    console.log(secured.loginBrokers.join(','));
    setInterval(() => undefined, 2 ** 30); // keeps this process running
  }
}
