import { createServer, Socket } from 'node:net';
import { once } from 'node:events';

/**
 * Plays the partners' endpoints in a separate process: a bare HTTP/1.1 server on many ports that records each
 * `webhook-id` with its time of arrival. It uses sockets directly, to leave as much as possible of the machine to the
 * measured apps.
 */
const ANSWER = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');

interface Arrival {
  id: string;
  at: number;
  /**
   * The `oid` of the sale. It is recorded only when the sink was started with `sales`, because it has to be parsed from
   * the body.
   */
  oid?: string;
}

let arrivals: Arrival[] = [];
let seen = new Set<string>();
let repeated = 0;
const withSales = process.argv[3] === 'sales';
/** Ports that accept requests and never answer. */
const hanging = new Set<number>();
/** The delay of slow ports, in milliseconds. */
const slow = new Map<number, number>();

const now = (): number => performance.timeOrigin + performance.now();

function serve(socket: Socket): void {
  const port = socket.localPort ?? 0;
  let rest: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end < 0) return;
      const head = rest.toString('latin1', 0, end).toLowerCase();
      const total = end + 4 + Number(/\r\ncontent-length: *(\d+)/.exec(head)?.[1] ?? 0);
      if (rest.length < total) return;
      const id = /\r\nwebhook-id: *(\S+)/.exec(head)?.[1] ?? '';
      note(id, withSales ? /"oid":"([^"]+)"/.exec(rest.toString('utf8', end, total))?.[1] : undefined);
      rest = rest.subarray(total);
      answer(socket, port);
    }
  });
}

function answer(socket: Socket, port: number): void {
  const delayMs = slow.get(port);
  if (hanging.has(port)) return;
  if (delayMs === undefined) socket.write(ANSWER);
  else setTimeout(() => socket.write(ANSWER), delayMs);
}

function note(id: string, oid: string | undefined): void {
  if (seen.has(id)) repeated++;
  else {
    seen.add(id);
    arrivals.push(oid === undefined ? { id, at: now() } : { id, at: now(), oid });
  }
}

async function listen(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let index = 0; index < count; index++) {
    const server = createServer(serve);
    await once(server.listen(0, '127.0.0.1', 4096), 'listening');
    ports.push((server.address() as { port: number }).port);
  }
  return ports;
}

interface Request {
  readonly count?: true;
  readonly take?: true;
  readonly hang?: number | null;
  readonly slow?: { readonly port: number; readonly delayMs: number };
}

process.on('message', (request: Request) => {
  if (request.hang !== undefined) {
    hanging.clear();
    if (request.hang !== null) hanging.add(request.hang);
  }
  if (request.slow !== undefined) slow.set(request.slow.port, request.slow.delayMs);
  process.send?.({ count: arrivals.length, repeated, ...(request.take ? { arrivals } : {}) });
  if (request.take) {
    arrivals = [];
    seen = new Set();
    repeated = 0;
  }
});
for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
void listen(Number(process.argv[2])).then((ports) => process.send?.({ ports }));
