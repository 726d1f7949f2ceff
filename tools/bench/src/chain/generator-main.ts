import { Connection } from './connection';
import { type Preparation, type PreparedPurchase, preparePurchases } from './purchases';

/* Plays the billing provider in a separate process: sends signed purchases that were prepared in advance. */

/** A request from the benchmark to this process. */
interface Request {
  readonly prepare?: Preparation;
  /** Sends the prepared purchases with this number of webhooks in flight. */
  readonly inFlight?: number;
  /** Sends this number of prepared purchases per second, with at most MAX_CONNECTIONS webhooks in flight. */
  readonly perSecond?: number;
}

/**
 * The `oid` of a sale, and two times in Unix ms with fractions:
 * - `sentAt`: when the sending of the sale's webhook began, before any wait for a connection
 * - `answeredAt`: when the webhook was answered with 200
 */
export type Sent = readonly [oid: string, sentAt: number, answeredAt: number];

const RETRY_MS = 250;
/** The maximum number of connections at a steady rate. It is reached only when the receiver cannot keep up. */
const MAX_CONNECTIONS = 256;

let url = new URL('http://127.0.0.1');
let prepared: PreparedPurchase[] = [];
/** The connections of this run, which are closed at its end. */
let opened: Connection[] = [];
/** The connections that no webhook is using. */
let idle: Connection[] = [];
/** The number of connections, including those that are being opened. */
let connections = 0;
/** The callers that wait for an idle connection. */
const waiting: ((connection: Connection) => void)[] = [];
/** The number of answers with 503 in this run. */
let refused = 0;

const now = (): number => performance.timeOrigin + performance.now();

/** Sends a webhook, and sends it again after each 503 until it is answered with 200. */
async function send(connection: Connection, { oid, request }: PreparedPurchase, sentAt: number): Promise<Sent> {
  while ((await connection.send(request)) !== 200) {
    refused += 1;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  return [oid, sentAt, now()];
}

async function flood(inFlight: number): Promise<Sent[]> {
  await Promise.all(Array.from({ length: inFlight }, open));
  const sent: Sent[] = [];
  const purchases = prepared.values();
  const caller = async (connection: Connection): Promise<void> => {
    for (const purchase of purchases) sent.push(await send(connection, purchase, now()));
  };
  await Promise.all(opened.map(caller));
  return sent;
}

async function pace(perSecond: number): Promise<Sent[]> {
  const started = performance.now();
  const sending: Promise<Sent>[] = [];
  for (const [index, purchase] of prepared.entries()) {
    const wait = started + (index * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const sent = sendOnIdle(purchase);
    sent.catch(fail);
    sending.push(sent);
  }
  return Promise.all(sending);
}

/**
 * Sends a purchase on an idle connection. If no connection is idle, opens one or, when the maximum number is open,
 * waits for an idle one. `sentAt` in the result is the time before this wait.
 */
async function sendOnIdle(purchase: PreparedPurchase): Promise<Sent> {
  const sentAt = now();
  const connection = idle.pop() ?? (await (connections < MAX_CONNECTIONS ? open() : nextIdle()));
  const sent = await send(connection, purchase, sentAt);
  const next = waiting.shift();
  if (next) next(connection);
  else idle.push(connection);
  return sent;
}

async function open(): Promise<Connection> {
  connections += 1;
  const connection = await Connection.open(url);
  opened.push(connection);
  return connection;
}

function closeAll(): void {
  for (const connection of opened) connection.close();
  [opened, idle, connections] = [[], [], 0];
}

const nextIdle = (): Promise<Connection> => new Promise((resolve) => waiting.push(resolve));

async function handle({ prepare, inFlight, perSecond }: Request): Promise<object> {
  if (prepare !== undefined) {
    url = new URL(prepare.webhookUrl);
    prepared = preparePurchases(prepare);
    return {};
  }
  refused = 0;
  const sent = await (perSecond === undefined ? flood(inFlight ?? 1) : pace(perSecond));
  closeAll();
  return { sent, refused };
}

function fail(error: Error): void {
  console.error(error.message);
  process.exit(1);
}

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
process.on('message', (request: Request) => void handle(request).then((answer) => process.send?.(answer), fail));
process.send?.({});
