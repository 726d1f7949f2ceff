import { parseOptions } from '../../../options/parse-options';
import { call, readStack, type Stack } from '@tandem/stack-client';
import type { Kill } from '../killer';
import { PurchaseStream } from '../purchases';
import { randomFrom } from '../random';
import { findings, killTable, verdictTable } from '../report';
import { salesIn } from '../outcome';
import type { Arrival } from '../sink';
import { configurePostback } from '../stack';
import { isClean, judge } from '../verdict';
import { Containers } from './containers';

const USAGE = `npm run chaos:containers -- [options]

Sends purchases at a steady rate to the stack that docker compose runs here (run npm run stack:info first), and kills and restarts one container
after the other. At the end every accepted webhook must have exactly one sale, and every sale its postback under one webhook-id. The sandbox,
which plays the outside world, and the programs of the profile observability are not killed.

  --kills N      number of kills (10)
  --rate N       purchases a second (5)
  --every MS     pause between the moment when a container is healthy again and the next kill (1000)
  --seed N       chooses the order of the containers (default: from the current time)
`;

const NOT_OURS = ['sandbox', 'prometheus', 'grafana', 'jaeger'];
const GIVE_UP_MS = 240_000;

/** Sends the promotion partner's postbacks to an inbox of this run. @returns the name of the inbox */
async function useInbox(stack: Stack): Promise<string> {
  const name = `chaos-${Date.now()}`;
  await configurePostback(stack, `${stack.sandbox.endpoints}/${name}`);
  return name;
}

interface Message {
  readonly receivedAt: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly oid: string };
}

/** Returns the requests that the inbox received, by sale. */
async function arrivalsIn(stack: Stack, inbox: string): Promise<Map<string, Arrival>> {
  const { body } = await call(`${stack.sandbox.inbox}/${inbox}/messages`);
  const items = body.items as Message[];
  const arrivals = new Map<string, Arrival>();
  for (const { body: sale, headers, receivedAt } of items) {
    const at = Date.parse(receivedAt);
    const known = arrivals.get(sale.oid);
    arrivals.set(sale.oid, {
      webhookIds: (known?.webhookIds ?? new Set<string>()).add(String(headers['webhook-id'])),
      requests: (known?.requests ?? 0) + 1,
      firstAt: Math.min(known?.firstAt ?? at, at),
      lastAt: Math.max(known?.lastAt ?? at, at),
    });
  }
  return arrivals;
}

/**
 * Kills `count` random containers of the platform, with a pause of `everyMs` before each kill. No container is killed
 * again before all others have been killed.
 */
async function killAll(count: number, everyMs: number, random: () => number): Promise<Kill[]> {
  const containers = new Containers();
  const services = (await containers.services()).filter((name) => !NOT_OURS.includes(name));
  const kills: Kill[] = [];
  for (let left: string[] = []; kills.length < count;) {
    if (left.length === 0) left = [...services];
    await new Promise((resolve) => setTimeout(resolve, everyMs));
    const [victim = ''] = left.splice(Math.floor(random() * left.length), 1);
    const kill = await containers.kill(victim);
    kills.push(kill);
    console.log(
      `${String(kills.length).padStart(4)}/${count}  ${victim.padEnd(20)} back after ${(kill.readyAt - kill.at) / 1000} s`,
    );
  }
  return kills;
}

async function main(): Promise<number> {
  const { values } = parseOptions({
    options: {
      kills: { type: 'string', default: '10' },
      rate: { type: 'string', default: '5' },
      every: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const stack = readStack();
  console.log(
    `chaos of the containers at ${stack.baseUrl}: ${values.kills} kills, ${values.rate} purchases/s, seed ${values.seed}`,
  );
  const inbox = await useInbox(stack);
  const stream = new PurchaseStream({
    webhookUrl: `${stack.baseUrl}/idp/payments/webhook`,
    secret: stack.webhooks.payments.secret,
    promotionCode: stack.partners.promotion.promotionCode,
  });
  stream.start(Number(values.rate));
  const kills = await killAll(Number(values.kills), Number(values.every), randomFrom(Number(values.seed)));
  await stream.finish();
  console.log(`all ${stream.accepted.length} webhooks are accepted; waiting for their postbacks`);
  let arrivals = await arrivalsIn(stack, inbox);
  for (const deadline = Date.now() + GIVE_UP_MS; Date.now() < deadline && arrivals.size < stream.accepted.length;) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    arrivals = await arrivalsIn(stack, inbox);
  }
  const lastRestart = Math.max(0, ...kills.map(({ readyAt }) => readyAt));
  const catchUpMs = Math.max(0, ...[...arrivals.values()].map(({ firstAt }) => firstAt - lastRestart));
  const accepted = new Set(stream.accepted.map(({ oid }) => oid));
  const sales = (await salesIn(stack.postgres.url)).filter(({ oid }) => accepted.has(oid));
  const verdict = judge(stream.accepted, sales, arrivals);
  console.log(`\n${killTable(kills)}\n\n${verdictTable(verdict, catchUpMs, GIVE_UP_MS)}\n${findings(verdict)}`);
  const passed = isClean(verdict) && catchUpMs <= GIVE_UP_MS;
  console.log(passed ? 'chaos passed' : 'chaos FAILED');
  return passed ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`chaos could not run: ${(error as Error).message}`);
    process.exit(2);
  },
);
