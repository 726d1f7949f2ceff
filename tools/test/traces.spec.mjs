import { randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { requestJson } from '../stack/http.mjs';
import { STACK_TIMEOUT_MS, startTestStack } from './test-stack.mjs';

jest.setTimeout(STACK_TIMEOUT_MS);

const load = createRequire(import.meta.url);
const { call, newKrn, purchaseWebhook, signable, signedHeaders } = load('@tandem/stack-client');
const { JsonServer, spansOf } = load('@tandem/testing');

const describeOnKafka = process.env['KAFKA_SKIP'] ? describe.skip : describe;
const EXPORTED_MS = 60_000;

/** The id of the span of billing, the sender of the webhook. This span is the root of the trace. */
const CALLER = randomBytes(8).toString('hex');

describeOnKafka('the trace of a sale on Kafka', () => {
  let running;
  let collector;

  beforeAll(async () => {
    collector = await JsonServer.start();
    collector.answer(200, {});
    running = await startTestStack({ bus: 'kafka', env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } });
  });
  afterAll(async () => {
    await running?.stop();
    await collector?.stop();
  });

  it("leads from the webhook of the purchase to the answers of the partner's endpoint", async () => {
    await failNextPostback();
    const traceId = await sell('01');
    const attempts = (spans) => spans.filter(({ name }) => name === 'POST postback');
    const spans = await exported(
      traceId,
      (found) => attempts(found).length === 2 && found.some(({ name }) => name === 'send postback.delivered'),
    );
    const path = (name, app) => {
      const found = spans.filter((span) => span.name === name && span.app === app);
      expect([`${name} of ${app}: ${found.length} spans`, found.length]).toEqual([
        `${name} of ${app}: ${found.length} spans`,
        1,
      ]);
      return found[0];
    };
    const webhook = path('POST /idp/payments/webhook', 'webhook-ingest');
    const paid = path('send payment.received', 'webhook-ingest');
    const handled = path('process payment.received', 'partner-gateway');
    const sold = path('send sale.completed', 'partner-gateway');
    const planned = path('process sale.completed', 'postback-dispatcher');
    const [first, second] = attempts(spans).sort((one, other) => one.startedAt - other.startedAt);

    expect([webhook, paid, handled, sold, planned, first, second].map(({ parentSpanId }) => parentSpanId)).toEqual(
      [CALLER, webhook, paid, handled, sold, planned, planned].map((parent) => parent.spanId ?? parent),
    );
    expect([webhook, paid, handled, sold, planned, first, second].map(({ kind }) => kind)).toEqual([
      'server',
      'producer',
      'consumer',
      'producer',
      'consumer',
      'client',
      'client',
    ]);
    expect(spans.find(({ name }) => name === 'send postback.delivered').parentSpanId).toBe(planned.spanId);
    expect(pick(webhook, 'http.route', 'http.request.method', 'http.response.status_code')).toEqual({
      'http.route': '/idp/payments/webhook',
      'http.request.method': 'POST',
      'http.response.status_code': 200,
    });
    expect(pick(handled, 'messaging.system', 'messaging.destination.name', 'messaging.consumer.group.name')).toEqual({
      'messaging.system': 'kafka',
      'messaging.destination.name': 'payment.received',
      'messaging.consumer.group.name': 'partner-gateway',
    });
    expect(handled.attributes['messaging.message.id']).toBe(paid.attributes['messaging.message.id']);
    expect([first.isError, first.attributes['http.response.status_code']]).toEqual([true, 500]);
    expect([second.isError, second.attributes['http.response.status_code']]).toEqual([false, 200]);
    expect(second.attributes['tandem.delivery.outcome']).toBe('delivered');
    expect(second.attributes['server.address']).toBe('127.0.0.1');
  });

  it('is not recorded when the caller does not sample it', async () => {
    const unsampled = await sell('00');
    const marker = await sell('01');
    await exported(marker, (found) => found.some(({ name }) => name === 'POST postback'));
    expect(await exported(unsampled, () => true)).toEqual([]);
  });

  /** Makes a sale in a new trace. @param flags `01` when the caller samples the trace, else `00` @returns the id of the trace */
  async function sell(flags) {
    const { baseUrl, webhooks, partners } = running.stack;
    const traceId = randomBytes(16).toString('hex');
    const { promotionCode } = partners.promotion;
    const purchase = { subscriptionId: `sub_${randomUUID()}`, krn: newKrn('test'), attribution: { promotionCode } };
    const { id, body } = signable(purchaseWebhook(purchase));
    const headers = {
      traceparent: `00-${traceId}-${CALLER}-${flags}`,
      ...signedHeaders(webhooks.payments.secret, body, id),
    };
    const answer = await call(`${baseUrl}/idp/payments/webhook`, { method: 'POST', body, headers });
    expect([answer.text, answer.status]).toEqual([answer.text, 200]);
    return traceId;
  }

  async function failNextPostback() {
    const inbox = `${running.stack.sandbox.inbox}/default`;
    const { status } = await requestJson('PUT', `${inbox}/behaviour`, { body: { status: 500, times: 1 } });
    expect(status).toBeLessThan(300);
  }

  /** Waits until `isComplete` holds for the exported spans of a trace, and returns them. */
  async function exported(traceId, isComplete) {
    for (const deadline = Date.now() + EXPORTED_MS; ; await delay(50)) {
      const found = spansOf(collector).filter((span) => span.traceId === traceId);
      if (isComplete(found)) return found;
      expect([
        `only ${found.map(({ app, name }) => `${app}: ${name}`).join(', ')}`,
        Boolean(Date.now() < deadline),
      ]).toEqual([`only ${found.map(({ app, name }) => `${app}: ${name}`).join(', ')}`, true]);
    }
  }
});

const pick = ({ attributes }, ...names) => Object.fromEntries(names.map((name) => [name, attributes[name]]));
