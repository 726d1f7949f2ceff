const { once } = require('node:events');
const { createServer } = require('node:net');

/**
 * The ports from FIRST are below those that systems give to outgoing connections: Linux from 32,768
 * (`ip_local_port_range`), other systems from 49,152 (https://www.rfc-editor.org/rfc/rfc6335#section-6).
 */
const FIRST = 20_000;
const COUNT = 12_000;
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
    const server = createServer();
    try {
      await once(server.listen(FIRST + Math.floor(Math.random() * COUNT), '127.0.0.1'), 'listening');
      return server;
    } catch (error) {
      // Windows reserves some ports, for which listening fails with EACCES.
      if (!['EADDRINUSE', 'EACCES'].includes(error.code) || draw === DRAWS) throw error;
    }
  }
}
