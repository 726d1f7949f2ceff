import { eventually } from '@tandem/testing';
import { type Backlog, BacklogRepository } from '../src/delivery/backlog.repository';
import { DeliveryLog } from './delivery-log';
import { Dispatcher } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('the numbers of what is not delivered', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_MEASURE_MS: '100' });
    endpoint = await EndpointServer.start();
    log = new DeliveryLog(dispatcher);
  });
  afterAll(async () => {
    await dispatcher?.stop();
    await endpoint?.stop();
  });

  const numbersOf = async (one: Dispatcher): Promise<Record<string, number>> => {
    const text = await (await fetch(`${one.running.url}/metrics`)).text();
    const lines = [...text.matchAll(/^postback_((?:deliveries|endpoints_disabled|oldest)\w*)(?:\{[^}]*\})? (\S+)$/gm)];
    return Object.fromEntries(lines.map(([, name, value]) => [name as string, Number(value)]));
  };

  it('are shown by the replica that measures', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(() => undefined);
    const now = new Date().toISOString();
    await log.insert(partnerId, [
      ...Array.from({ length: 3 }, () => ({ createdAt: now, status: 'pending' })),
      ...Array.from({ length: 2 }, () => ({ createdAt: now, status: 'held' })),
      { createdAt: now, status: 'failed' },
      { createdAt: now, status: 'delivered' },
      { createdAt: new Date(Date.now() - 600_000).toISOString(), status: 'pending' },
    ]);
    await dispatcher.database.query(
      `update postback.delivery set next_attempt_at = now() - interval '5 minutes' where created_at < now() - interval '5 minutes'`,
    );
    const gone = await dispatcher.createEndpoint(endpoint.url);
    endpoint.next(answer(410));
    await log.sales(gone.partnerId, 1, 'failed');
    await eventually(async () =>
      expect(await numbersOf(dispatcher)).toEqual({
        deliveries_pending: 4,
        deliveries_overdue: 1,
        deliveries_held: 2,
        deliveries_failed: 2,
        endpoints_disabled: 1,
        oldest_pending_seconds: expect.any(Number),
        oldest_due_seconds: expect.any(Number),
      }),
    );
    const numbers = await numbersOf(dispatcher);
    expect(Math.round((numbers['oldest_pending_seconds'] ?? 0) / 60)).toBe(10);
    expect(Math.round((numbers['oldest_due_seconds'] ?? 0) / 60)).toBe(5);
  });

  it('count no delivery as overdue that waits for the end of its endpoint’s pause', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const pauseUntil = (interval: string): Promise<unknown> =>
      dispatcher.database.query(
        `update postback.endpoint set blocked_until = now() + interval '${interval}' where partner_id = '${partnerId}'`,
      );
    const measure = (): Promise<Backlog> => dispatcher.running.nest.get(BacklogRepository).measure(60);
    const before = await measure();
    await pauseUntil('1 hour');
    await log.insert(partnerId, [{ createdAt: new Date().toISOString(), status: 'pending' }]);
    await dispatcher.database.query(
      `update postback.delivery set next_attempt_at = now() - interval '5 minutes' where partner_id = '${partnerId}'`,
    );
    expect(await measure()).toMatchObject({ pending: before.pending + 1, overdue: before.overdue });
    await pauseUntil('-1 second');
    expect(await measure()).toMatchObject({ pending: before.pending + 1, overdue: before.overdue + 1 });
  });
});
