import type { LoggerService } from '@nestjs/common';
import { POSTBACK_DELIVERED, POSTBACK_FAILED, SALE_COMPLETED } from '@tandem/contracts';
import { currentEvent } from '@tandem/messaging';
import { currentTraceparent, runWithTrace } from '@tandem/tracing';
import { eventually } from '@tandem/testing';
import { DeliveryLog } from './delivery-log';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

type Line = Record<string, unknown>;

/** Returns a logger that records each line, with the id and the trace of the event in whose context the line is written. */
function recorder(): { lines: Line[]; logger: LoggerService } {
  const lines: Line[] = [];
  const keep = (message: unknown): void => {
    if (typeof message !== 'object') return;
    const event = currentEvent();
    lines.push({ ...(event && { eventId: event.id }), ...message, contextTrace: currentTraceparent() });
  };
  return { lines, logger: { log: keep, warn: keep, error: keep, debug: keep, verbose: keep, fatal: keep } };
}

describe('the log lines of attempts, and the event that reports the result of a delivery', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let lines: Line[];

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_ENDPOINT_CONCURRENCY: '2' });
    endpoint = await EndpointServer.start();
    const recording = recorder();
    lines = recording.lines;
    dispatcher.running.nest.useLogger(recording.logger);
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  const attemptsOf = (oid: string): Line[] =>
    lines.filter((line) => line['msg'] === 'delivery.attempted' && line['oid'] === oid);
  /** Returns the id and the trace id of the event that was published in this topic for a sale. */
  const onTheBus = async (topic: string, oid: string): Promise<{ eventId: string; traceId: string }> => {
    const [row] = await dispatcher.database.query<{ id: string; traceparent: string }>(
      `select headers ->> 'ce_id' as id, headers ->> 'traceparent' as traceparent from bus.event_log where topic = $1 and key = $2`,
      [topic, oid],
    );
    return { eventId: row?.id ?? '', traceId: row?.traceparent.split('-')[1] ?? '' };
  };

  it('have the trace of the sale whichever connection sends the request, and the log lines have the sale’s event id', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.next(...Array.from({ length: 8 }, () => answer(404)));
    const sales = Array.from({ length: 16 }, () => saleOf(partnerId));
    for (const sale of sales) await runWithTrace(undefined, () => dispatcher.publish(sale));
    for (const { oid } of sales) {
      await eventually(async () => expect((await onTheBus(POSTBACK_DELIVERED.topic, oid)).eventId).not.toBe(''));
    }
    for (const { oid } of sales) {
      const sale = await onTheBus(SALE_COMPLETED.topic, oid);
      expect((await onTheBus(POSTBACK_DELIVERED.topic, oid)).traceId).toBe(sale.traceId);
      expect(new Set(attemptsOf(oid).map((line) => line['eventId']))).toEqual(new Set([sale.eventId]));
      expect(new Set(attemptsOf(oid).map((line) => line['traceId']))).toEqual(new Set([sale.traceId]));
    }
  });

  it('have the trace of the sale when the event is postback.failed', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(404));
    const sale = saleOf(partnerId);
    await runWithTrace(undefined, () => dispatcher.publish(sale));
    await eventually(async () => expect((await onTheBus(POSTBACK_FAILED.topic, sale.oid)).eventId).not.toBe(''));
    const { traceId } = await onTheBus(SALE_COMPLETED.topic, sale.oid);
    expect((await onTheBus(POSTBACK_FAILED.topic, sale.oid)).traceId).toBe(traceId);
  });

  it('are not written in the context of a replay request, or of the test send that opened the connection', async () => {
    endpoint.always(answer(200));
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const log = new DeliveryLog(dispatcher);
    await log.test(partnerId);
    const [sale] = await log.sales(partnerId, 1, 'delivered');
    const oid = sale?.oid ?? '';
    await log.replay(partnerId, (await dispatcher.deliveryOf(oid))?.id ?? '');
    await eventually(() => expect(attemptsOf(oid)).toHaveLength(2));
    for (const line of attemptsOf(oid)) expect(line['contextTrace']).toBeUndefined();
  });
});
