import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ANSWERS } from './answers';

/**
 * Plays the vendor in a separate process: it sends prepared answers after 20 ms. It also serves the public keys of the
 * token issuer. Requests on the path in the variable HANGING are accepted and never answered.
 */
const DELAY_MS = 20;
const { JWKS = '', HANGING = '' } = process.env;

const ready = new Map(Object.entries(ANSWERS).map(([path, answer]) => [path, Buffer.from(JSON.stringify(answer))]));

const server = createServer({ keepAliveTimeout: 60_000 }, ({ url = '' }, response) => {
  response.setHeader('content-type', 'application/json');
  if (url === '/jwks.json') return void response.end(JWKS);
  const path = url.split('?', 1)[0] as string;
  if (path === HANGING) return;
  const body = ready.get(path);
  if (!body) return void response.writeHead(404).end('{}');
  setTimeout(() => response.setHeader('content-length', body.length).end(body), DELAY_MS);
});

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
