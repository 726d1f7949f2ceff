import { Client } from 'undici';
import { type SignedWebhooks, webhookRequest } from './signed-requests';
import { quantile } from '../statistics';

/**
 * The load that this process sends on behalf of the callers. For a few seconds, each connection sends its next request
 * when its previous request is answered.
 */
interface Load {
  readonly url: string;
  /** The headers of each caller. The requests use them in turn. */
  readonly callers: readonly Record<string, string>[];
  /** The status that an answer must have. */
  readonly status: number;
  readonly connections: number;
  readonly seconds: number;
  /** The webhooks to send. If omitted, GET requests are sent. */
  readonly webhooks?: SignedWebhooks;
}

/**
 * Sends requests on one connection.
 * @param nextHeaders returns the headers of the next caller
 * @returns how long each request took, ms
 */
async function connection(
  { url, status, seconds, webhooks }: Load,
  nextHeaders: () => Record<string, string>,
): Promise<number[]> {
  const { origin, pathname, search } = new URL(url);
  const client = new Client(origin, { pipelining: 1 });
  const end = performance.now() + seconds * 1000;
  const latencies: number[] = [];
  try {
    while (performance.now() < end) {
      const asked = webhooks
        ? { method: 'POST' as const, ...webhookRequest(webhooks) }
        : { method: 'GET' as const, headers: nextHeaders() };
      const sentAt = performance.now();
      const answer = await client.request({ path: pathname + search, ...asked });
      if (answer.statusCode !== status) {
        throw new Error(`${url} was answered with ${answer.statusCode}: ${await answer.body.text()}`);
      }
      await answer.body.dump({ limit: Infinity });
      latencies.push(performance.now() - sentAt);
    }
  } finally {
    await client.close();
  }
  return latencies;
}

async function run(load: Load): Promise<void> {
  const { callers, connections } = load;
  let sent = 0;
  const nextHeaders = (): Record<string, string> => callers[sent++ % callers.length] ?? {};
  const started = performance.now();
  const latencies = (
    await Promise.all(Array.from({ length: connections }, () => connection(load, nextHeaders)))
  ).flat();
  const seconds = (performance.now() - started) / 1000;
  process.send?.({
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    p99Ms: quantile(latencies, 0.99),
  });
}

function fail(error: Error): void {
  console.error(error.message);
  process.exit(1);
}

for (const event of ['SIGTERM', 'disconnect']) process.on(event, () => process.exit(0));
process.on('message', (load: Load) => void run(load).catch(fail));
process.send?.({});
