import { once } from 'node:events';
import net from 'node:net';
import { APPS, variableOf } from '../../apps/apps.js';
import { freePorts } from '../ports/free-ports.js';

/** For each program, the variable with its port, and the default. The value 0 takes a free port. */
export const PORTS = {
  edge: ['EDGE_PORT', 8080],
  postgres: ['TANDEM_POSTGRES_PORT', 54320],
  kafka: ['TANDEM_KAFKA_PORT', 19092],
  sandbox: ['SANDBOX_PORT', 4100],
  ...Object.fromEntries(APPS.map(({ name, port }) => [name, [variableOf(name, 'PORT'), port]])),
  debugger: ['INSPECT_PORT', 9229],
};

/** Programs to which neither `fetch` nor a page in a browser connects. */
const OTHER_PROTOCOLS = ['postgres', 'kafka', 'debugger'];

/** Ports that fetch and browsers refuse: https://fetch.spec.whatwg.org/#port-blocking */
const REFUSED_BY_FETCH = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/**
 * Returns the ports of the named programs, and checks that each port is free.
 * @param {string[]} names
 * @returns {Promise<Record<string, number>>}
 * @throws one error that names every unusable port and the variable that changes it
 */
export async function claimPorts(names) {
  /** @type {Record<string, number>} */
  const ports = {};
  const problems = [];
  const drawn = [];
  for (const name of names) {
    const [variable, fallback] = PORTS[name];
    const port = Number(process.env[variable] || fallback);
    if (!Number.isInteger(port) || port < 0 || port > 65535) {
      problems.push(`${variable} must be a port from 0 to 65535, not "${process.env[variable]}"`);
      continue;
    }
    if (port === 0) {
      drawn.push(name);
      continue;
    }
    const twin = Object.keys(ports).find((other) => ports[other] === port);
    const refused = REFUSED_BY_FETCH.has(port) && !OTHER_PROTOCOLS.includes(name);
    const taken = twin ? `wanted by ${twin} too` : refused ? 'refused by fetch and browsers' : await problemOf(port);
    if (!taken) ports[name] = port;
    else
      problems.push(
        `port ${port} (${name}) is ${taken}: set ${variable} to another one, for example ${variable}=${port + 1000}`,
      );
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  // freePorts may return a port that is already chosen above, because nothing listens on it yet. So more ports than needed are requested,
  // and the chosen ones are removed.
  const chosen = Object.values(ports);
  const free = (await freePorts(drawn.length + chosen.length)).filter((port) => !chosen.includes(port));
  for (const name of drawn) ports[name] = free.pop();
  return ports;
}

/** Returns the reason why a port cannot be used; undefined when it is free. */
async function problemOf(port) {
  const server = net.createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if (error.code === 'EADDRINUSE') return 'in use';
    if (error.code === 'EACCES') return 'not allowed to this account';
    throw error;
  }
  await new Promise((closed) => server.close(closed));
  return undefined;
}
