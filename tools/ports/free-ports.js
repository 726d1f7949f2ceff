const { once } = require('node:events');
const fs = require('node:fs');
const { createServer } = require('node:net');
const os = require('node:os');
const path = require('node:path');

/**
 * The lowest port that is returned. The COUNT ports from here are below those that systems give to outgoing connections: Linux
 * from 32,768 (`ip_local_port_range`), other systems from 49,152 (https://www.rfc-editor.org/rfc/rfc6335#section-6).
 */
const FIRST = 20_000;
const COUNT = 12_000;
/**
 * The time for which a port is not returned again. A process that got a port listens on it only after a while, for example once Postgres has started.
 * Until then, the port looks free to other processes.
 */
const RESERVED_MS = 60_000;
/** The folder with an empty file for each port that a process got, named after the port. */
const RESERVATIONS = path.join(os.tmpdir(), `tandem-ports-${process.getuid?.() ?? 'user'}`);
/** The maximum number of draws for one port: enough to find a free port even when thousands of ports are in use. */
const DRAWS = 100;

/** @type {typeof import('./free-ports').freePorts} */
exports.freePorts = async function freePorts(count) {
  const servers = [];
  try {
    while (servers.length < count) servers.push(await listenSomewhere());
    return servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
  } finally {
    await Promise.all(servers.map((server) => once(server.close(), 'close')));
  }
};

async function listenSomewhere() {
  for (let draw = 1; ; draw++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (!reserve(port) && draw < DRAWS) continue;
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
      return server;
    } catch (error) {
      // Windows reserves some ports, for which listening fails with EACCES.
      if (!['EADDRINUSE', 'EACCES'].includes(error.code) || draw === DRAWS) throw error;
    }
  }
}

/** Reserves a port. Returns false if another call has reserved it less than RESERVED_MS ago. */
function reserve(port) {
  const file = path.join(RESERVATIONS, String(port));
  const { mtimeMs = 0 } = fs.statSync(file, { throwIfNoEntry: false }) ?? {};
  if (Date.now() - mtimeMs < RESERVED_MS) return false;
  fs.mkdirSync(RESERVATIONS, { recursive: true });
  fs.rmSync(file, { force: true });
  try {
    fs.writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (error) {
    // Another process reserved the port after the check above.
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}
