import { Connection } from './connection';
import { type Preparation, type PreparedPurchase, preparePurchases } from './purchases';

/** The billing provider, as a process of its own: sends signed purchases that were prepared before. */
interface Request {
  readonly prepare?: Preparation;
  /** Sends what is prepared: so many in flight, each followed by the next when it is answered. */
  readonly inFlight?: number;
  /** Sends what is prepared at a steady rate, whatever the receiver does. */
  readonly perSecond?: number;
}

/** The sale, when its webhook was sent, and when it was answered (Unix ms with fractions). */
export type Sent = readonly [oid: string, sentAt: number, answeredAt: number];

let url = new URL('http://127.0.0.1');
let prepared: PreparedPurchase[] = [];
let connections: Connection[] = [];

const now = (): number => performance.timeOrigin + performance.now();

async function send(connection: Connection, { oid, request }: PreparedPurchase, sentAt: number): Promise<Sent> {
  await connection.send(request);
  return [oid, sentAt, now()];
}

async function flood(inFlight: number): Promise<Sent[]> {
  const open = Array.from({ length: inFlight - connections.length }, () => Connection.open(url));
  connections.push(...(await Promise.all(open)));
  const sent: Sent[] = [];
  const purchases = prepared.values();
  const caller = async (connection: Connection): Promise<void> => {
    for (const purchase of purchases) sent.push(await send(connection, purchase, now()));
  };
  await Promise.all(connections.map(caller));
  return sent;
}

async function pace(perSecond: number): Promise<Sent[]> {
  const started = performance.now();
  const sending: Promise<Sent>[] = [];
  for (const [index, purchase] of prepared.entries()) {
    const wait = started + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    sending.push(sendOnIdle(purchase));
  }
  return Promise.all(sending);
}

/** Takes a connection that is idle, or opens one. */
async function sendOnIdle(purchase: PreparedPurchase): Promise<Sent> {
  const sentAt = now();
  const connection = connections.pop() ?? (await Connection.open(url));
  const sent = await send(connection, purchase, sentAt);
  connections.push(connection);
  return sent;
}

async function handle({ prepare, inFlight, perSecond }: Request): Promise<object> {
  if (prepare !== undefined) {
    url = new URL(prepare.webhookUrl);
    prepared = preparePurchases(prepare);
    return {};
  }
  return { sent: await (perSecond === undefined ? flood(inFlight ?? 1) : pace(perSecond)) };
}

function fail(error: Error): void {
  console.error(error.message);
  process.exit(1);
}

function end(): void {
  for (const connection of connections) connection.close();
  connections = [];
  process.exit(0);
}

for (const event of ['SIGTERM', 'disconnect']) process.on(event, end);
process.on('message', (request: Request) => void handle(request).then((answer) => process.send?.(answer), fail));
process.send?.({});
