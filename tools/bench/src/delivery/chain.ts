import { randomUUID } from 'node:crypto';
import { signWebhook, webhookTimestampHeader } from '@tandem/auth';
import { request } from 'undici';
import type { Cleanup } from '../processes/child';
import { Figure, ms } from '../report';
import { Sink } from '../sink/sink';
import { median } from '../statistics';
import { Latencies, latenciesOf } from './latency';
import { StackFile, startStack } from './stack';

const RATE = 50;
const SECONDS = 15;
/** Programs that have just started run code that is not compiled yet, for some thousands of sales. */
const WARM_UP_SECONDS = 60;
const ARRIVAL_MS = 60_000;

/** (c) From the answer to a signed webhook to the arrival of its postback: every app and Kafka in between. */
export async function measureChain(_serverUrl: string, rounds: number, cleanup: Cleanup): Promise<Figure[]> {
  const sink = await Sink.start(cleanup, 1, true);
  const stack = await startStack(cleanup);
  await usePostbackEndpoint(stack, sink.ports[0] as number);
  await runOnce(stack, sink, WARM_UP_SECONDS);
  const measured: Latencies[] = [];
  for (let round = 0; round < rounds; round++) {
    measured.push(latenciesOf(await runOnce(stack, sink, SECONDS)));
    const { p50, p95, p99 } = measured.at(-1) as Latencies;
    console.log(`  round ${round + 1}: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}`);
  }
  const p95 = median(measured.map((one) => one.p95));
  return [
    { name: `(c) webhook answered to arrival at ${RATE}/s, p50`, value: ms(median(measured.map((one) => one.p50))) },
    { name: `(c) webhook answered to arrival at ${RATE}/s, p95`, value: ms(p95), target: '<= 60 ms', met: p95 <= 60 },
    { name: `(c) webhook answered to arrival at ${RATE}/s, p99`, value: ms(median(measured.map((one) => one.p99))) },
  ];
}

/** Buys at a steady rate. @returns milliseconds from each webhook's answer to the arrival of its postback */
async function runOnce(stack: StackFile, sink: Sink, seconds: number): Promise<number[]> {
  await sink.take();
  const answered = new Map<string, number>();
  const started = performance.now();
  const buying: Promise<void>[] = [];
  const failures: Error[] = [];
  for (let index = 0; index < RATE * seconds; index++) {
    const wait = started + (index * 1000) / RATE - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    buying.push(buy(stack, answered).catch((error: Error) => void failures.push(error)));
  }
  await Promise.all(buying);
  if (failures[0] !== undefined) throw failures[0];
  await sink.waitFor(buying.length, ARRIVAL_MS);
  const { atBySale, repeated } = await sink.take();
  if (repeated > 0) throw new Error(`${repeated} postbacks came again`);
  return [...answered].map(([oid, at]) => (atBySale.get(oid) ?? NaN) - at);
}

/** Sends the webhook of one purchase, and notes when it was answered. */
async function buy({ baseUrl, partners, webhooks }: StackFile, answered: Map<string, number>): Promise<void> {
  const oid = `bench_${randomUUID()}`;
  const id = `evt_${oid}`;
  const timestamp = new Date();
  const body = JSON.stringify({
    id,
    type: 'subscription.purchased',
    timestamp: timestamp.toISOString(),
    data: {
      subscriptionId: oid,
      customer: { email: `${oid}@example.com` },
      plan: 'advanced',
      entitlements: ['idp.identity'],
      currency: 'USD',
      amount: '99.90',
      paymentStatus: 'captured',
      firstPayment: true,
      items: [{ price: '99.90', category: 'Advanced' }],
      attribution: { promotionCode: partners.promotion.promotionCode },
    },
  });
  const signature = signWebhook({ secrets: [webhooks.payments.secret], id, timestamp, body });
  const answer = await request(`${baseUrl}/idp/payments/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': webhookTimestampHeader(timestamp),
      'webhook-signature': signature,
    },
    body,
  });
  await answer.body.dump();
  answered.set(oid, performance.timeOrigin + performance.now());
  if (answer.statusCode !== 200) throw new Error(`a webhook was answered with ${answer.statusCode}`);
}

async function usePostbackEndpoint({ baseUrl, partners }: StackFile, port: number): Promise<void> {
  const answer = await request(`${baseUrl}/api/v2/partner/postback`, {
    method: 'POST',
    headers: { authorization: `Bearer ${partners.promotion.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${port}/postback`, authMethod: 'Bearer', key: 'bench-key' }),
  });
  await answer.body.dump();
  if (answer.statusCode >= 300) throw new Error(`the postback endpoint was answered with ${answer.statusCode}`);
}
