import { deliverWebhook } from '@tandem/stack-client';
import { Killer, type KillableStack } from '../killer';
import type { ChaosOptions } from '../../options';
import { randomFrom } from '../random';
import { floodFindings, floodTable, killTable } from '../report';
import type { ChaosStack } from '../stack';
import { type Delivery, loadOf } from './load';
import { countTaken, lookAt } from './platform';
import { Replica } from '../replica';
import { isFloodClean, judgeFlood } from './verdict';

const APP = 'webhook-ingest';
const SECOND = 'webhook-ingest (2)';
const PATHS: Readonly<Record<Delivery['integration'], string>> = {
  payments: '/idp/payments/webhook',
  array: '/idp/array/webhook',
};
const SENDERS = 50;
const CATCH_UP_MS = 120_000;

/**
 * Sends webhooks to two replicas of webhook-ingest, repeatedly kills one of the two at random, and checks what the
 * platform has stored.
 * @returns true when every webhook took effect exactly once, and at least one replica was killed
 */
export async function flood(options: ChaosOptions, count: number, stack: ChaosStack): Promise<boolean> {
  const random = randomFrom(options.seed);
  const load = loadOf(count, random, stack.vendorAppKey);
  const replica = await Replica.start(stack.replicaOf(APP));
  const killer = new Killer(victimsOf(stack, replica), random);
  try {
    const urls = [stack.urlOf(APP), replica.url];
    const sent = send(load.deliveries, options.rate, urls, stack.webhookSecrets);
    await killUntil(sent, killer, options.everyMs);
    const tries = await sent;
    console.log(`all ${load.deliveries.length} deliveries were answered 200, after ${tries} attempts`);
    await taken(load.subscriptions.length * (load.subscriptions[0]?.events ?? 0), stack.postgresUrl);
    // The second effect of a webhook may come late, so the run waits before it reads and judges the effects.
    await pause(3_000);
    const verdict = judgeFlood(load, await lookAt(load, stack.platformAddress));
    console.log(`\n${killTable(killer.kills)}\n\n${floodTable(verdict)}\n${floodFindings(verdict)}`);
    const passed = isFloodClean(verdict) && killer.kills.length > 0;
    console.log(passed ? 'chaos passed' : 'chaos FAILED');
    return passed;
  } finally {
    await replica.stop();
  }
}

const victimsOf = (stack: ChaosStack, replica: Replica): KillableStack => ({
  victims: () => [APP, SECOND],
  processOf: (name) => (name === SECOND ? replica.state : stack.processOf(name)),
});

/**
 * Sends requests to the two processes in turn, and repeats each delivery until it is answered with 200.
 * @returns the number of attempts
 * @throws when a webhook is refused (400, 401, 413)
 */
async function send(
  deliveries: readonly Delivery[],
  perSecond: number,
  urls: readonly string[],
  secrets: Readonly<Record<Delivery['integration'], string>>,
): Promise<number> {
  const began = Date.now();
  let next = 0;
  let tries = 0;
  const sender = async (): Promise<void> => {
    for (let index = next++; index < deliveries.length; index = next++) {
      const delivery = deliveries[index] as Delivery;
      await pause(began + (index * 1_000) / perSecond - Date.now());
      const target = {
        secret: secrets[delivery.integration],
        get webhookUrl() {
          return `${urls[tries++ % urls.length]}${PATHS[delivery.integration]}`;
        },
      };
      await deliverWebhook(target, delivery);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return tries;
}

async function killUntil(sent: Promise<unknown>, killer: Killer, everyMs: number): Promise<void> {
  let isSent = false;
  const end = (): void => void (isSent = true);
  sent.then(end, end);
  while (!isSent) {
    await killer.run(1, everyMs, ({ victim, at, readyAt }) =>
      console.log(`  ${victim.padEnd(20)} back after ${((readyAt - at) / 1_000).toFixed(1).padStart(4)} s`),
    );
  }
}

/** Waits until all events are handled, or until a time limit. */
async function taken(events: number, postgresUrl: string): Promise<void> {
  for (const deadline = Date.now() + CATCH_UP_MS; Date.now() < deadline; await pause(250)) {
    if ((await countTaken(postgresUrl)) >= events) return;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
