import { POSTBACK_DELIVERED, POSTBACK_FAILED } from '@tandem/contracts';
import { ReplayedPostbackDelivery } from '@tandem/internal-api';
import { eventually, uniqueId } from '@tandem/testing';
import { validateSync } from 'class-validator';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryLog } from './delivery-log';
import { Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('POST …/deliveries/{id}/replay', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_DISABLE_AFTER: '3' });
    log = new DeliveryLog(dispatcher);
  });
  afterAll(() => dispatcher?.stop());
  beforeEach(async () => {
    endpoint = await EndpointServer.start();
  });
  afterEach(() => endpoint.stop());

  const idOf = async (oid: string): Promise<string> => (await dispatcher.deliveryOf(oid))?.id ?? '';
  const numbersOf = async (oid: string): Promise<number[]> =>
    (await dispatcher.attemptsOf(oid)).map(({ number }) => number);
  const tried = (oid: string, attempts: number, status: string): Promise<void> =>
    eventually(async () => expect(await dispatcher.deliveryOf(oid)).toMatchObject({ attempt_count: attempts, status }));

  it('sends a delivered delivery again, under the same webhook-id [deliveries.replay-one]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const [sale] = await log.sales(partnerId, 1, 'delivered');
    const oid = sale?.oid ?? '';
    const id = await idOf(oid);
    const replayed = await log.replay(partnerId, id);
    expect(replayed).toMatchObject({ status: 202, body: { id } });
    expect(
      validateSync(Object.assign(new ReplayedPostbackDelivery(), replayed.body), {
        whitelist: true,
        forbidNonWhitelisted: true,
      }),
    ).toEqual([]);
    await tried(oid, 2, 'delivered');
    const requests = endpoint.about(oid);
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(await numbersOf(oid)).toEqual([1, 2]);
    await eventually(async () =>
      expect(await dispatcher.published(POSTBACK_DELIVERED.topic, oid)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ attempts: 1, deliveryId: id }),
          expect.objectContaining({ attempts: 2, deliveryId: id }),
        ]),
      ),
    );
  });

  it('restarts the retries of an exhausted delivery, and continues the count of attempts [deliveries.replay-one]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(500));
    const [sale] = await log.sales(partnerId, 1, 'failed');
    const oid = sale?.oid ?? '';
    await log.replay(partnerId, await idOf(oid));
    await tried(oid, 6, 'failed');
    expect(await dispatcher.published(POSTBACK_FAILED.topic, oid)).toHaveLength(2);

    endpoint.next(answer(500), answer(500), answer(200));
    await log.replay(partnerId, await idOf(oid));
    await tried(oid, 9, 'delivered');
    expect(await numbersOf(oid)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const [item] = (await log.page(partnerId)).items;
    expect([item?.status, item?.attempts.length]).toEqual(['delivered', 9]);
    expect(new Set(endpoint.about(oid).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('leaves the delivery pending until the endpoint has answered', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const [sale] = await log.sales(partnerId, 1, 'delivered');
    const waiting = new Promise<ServerResponse>((resolve) => endpoint.next((_, response) => resolve(response)));
    await log.replay(partnerId, await idOf(sale?.oid ?? ''));
    const response = await waiting;
    expect((await log.page(partnerId)).items).toMatchObject([
      { status: 'pending', deliveredAt: null, nextAttemptAt: expect.any(String), attempts: [{ number: 1 }] },
    ]);
    response.writeHead(200).end();
    await tried(sale?.oid ?? '', 2, 'delivered');
  });

  it('sends the delivery to the URL that was saved after its first attempt', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const [sale] = await log.sales(partnerId, 1, 'delivered');
    const other = await EndpointServer.start();
    await dispatcher.save(partnerId, { url: other.url, authMethod: 'Bearer' });
    await log.replay(partnerId, await idOf(sale?.oid ?? ''));
    await eventually(() => expect(other.about(sale?.oid ?? '')).toHaveLength(1));
    await tried(sale?.oid ?? '', 2, 'delivered');
    await other.stop();
  });

  it('answers 404 without a configuration, and replays the held delivery once there is a configuration', async () => {
    const partnerId = uniqueId('partner');
    const [sale] = await log.sales(partnerId, 1, 'held');
    const id = await idOf(sale?.oid ?? '');
    const refused = await log.replay(partnerId, id);
    expect(refused).toMatchObject({ status: 404, body: { code: 'postback_not_configured' } });
    expect(await dispatcher.deliveryOf(sale?.oid ?? '')).toMatchObject({ status: 'held' });

    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer', key: 'k' });
    expect((await log.replay(partnerId, id)).status).toBe(202);
    await tried(sale?.oid ?? '', 1, 'delivered');
    expect(endpoint.about(sale?.oid ?? '').map(({ headers }) => headers['webhook-id'])).toEqual([id]);
  });

  it('answers 409 when the configuration is disabled, and leaves the delivery held [deliveries.held-replayed]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(410));
    await log.sales(partnerId, 1, 'failed');
    const [held] = await log.sales(partnerId, 1, 'held');
    const id = await idOf(held?.oid ?? '');
    const refused = await log.replay(partnerId, id);
    expect(refused).toMatchObject({ status: 409, body: { code: 'postback_disabled' } });
    expect(await dispatcher.deliveryOf(held?.oid ?? '')).toMatchObject({ status: 'held', attempt_count: 0 });

    endpoint.always(answer(200));
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer' });
    expect((await log.replay(partnerId, id)).status).toBe(202);
    await tried(held?.oid ?? '', 1, 'delivered');
  });

  it('answers 404 for an id that is unknown, malformed, or of another partner or environment [deliveries.replay-one]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const other = await dispatcher.createEndpoint(endpoint.url);
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer', key: 'k' }, 'test');
    const [sale] = await log.sales(partnerId, 1, 'delivered');
    const id = await idOf(sale?.oid ?? '');
    const answers = await Promise.all([
      log.replay(partnerId, randomUUID()),
      log.replay(other.partnerId, id),
      log.replay(partnerId, id, 'test'),
      log.replay(partnerId, 'x'),
      log.replay(partnerId, id.toUpperCase()),
      log.replay(partnerId, "' or 1=1 --"),
    ]);
    for (const one of answers) expect(one).toMatchObject({ status: 404, body: { code: 'delivery_not_found' } });
    expect(await dispatcher.deliveryOf(sale?.oid ?? '')).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(endpoint.about(sale?.oid ?? '')).toHaveLength(1);
  });

  it('does not send or count an attempt twice when an attempt is in flight [deliveries.replay-one]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(() => undefined);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    await eventually(() => expect(endpoint.about(sale.oid)).toHaveLength(1));
    const id = await idOf(sale.oid);
    // The replays span several sweeps, each of which finds the delivery due.
    for (let rounds = 0; rounds < 3; rounds++) {
      const replays = await Promise.all([log.replay(partnerId, id), log.replay(partnerId, id)]);
      expect(replays.map(({ status }) => status)).toEqual([202, 202]);
      await sleep(1_000);
    }
    expect([endpoint.about(sale.oid).length, endpoint.mostInFlight]).toEqual([1, 1]);
    endpoint.always(answer(200));
    endpoint.answerAll();
    await tried(sale.oid, 1, 'delivered');
    expect(await log.sales(partnerId, 1, 'delivered')).toHaveLength(1);
    expect(await numbersOf(sale.oid)).toEqual([1]);
    expect(endpoint.about(sale.oid).map(({ headers }) => headers['webhook-id'])).toEqual([id]);
  });

  it('gives each attempt its own number under twenty concurrent replays [deliveries.replay-one]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const [sale] = await log.sales(partnerId, 1, 'delivered');
    const oid = sale?.oid ?? '';
    const id = await idOf(oid);
    const answers = await Promise.all(Array.from({ length: 20 }, () => log.replay(partnerId, id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    await eventually(async () => {
      const row = await dispatcher.deliveryOf(oid);
      expect(row?.status).toBe('delivered');
      expect(row?.attempt_count).toBeGreaterThan(1);
      const numbers = await numbersOf(oid);
      expect(numbers).toEqual(Array.from({ length: row?.attempt_count ?? 0 }, (_, index) => index + 1));
      expect(endpoint.about(oid)).toHaveLength(numbers.length);
    });
  });
});

describe('a replayed delivery', () => {
  it('is sent immediately even if its next attempt was due only an hour later', async () => {
    const dispatcher = await Dispatcher.start({ POSTBACK_RETRY_SCHEDULE_SECONDS: '0,3600,3600' });
    const endpoint = await EndpointServer.start();
    const log = new DeliveryLog(dispatcher);
    try {
      const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
      endpoint.next(answer(500), answer(500));
      const sale = saleOf(partnerId);
      await dispatcher.publish(sale);
      const tried = (attempts: number, status: string) =>
        eventually(async () =>
          expect(await dispatcher.deliveryOf(sale.oid)).toMatchObject({ attempt_count: attempts, status }),
        );
      await tried(1, 'pending');
      const id = (await dispatcher.deliveryOf(sale.oid))?.id ?? '';
      await log.replay(partnerId, id);
      await tried(2, 'pending');
      // A replay of a pending delivery does not restart its retries, so the next attempt is the last of three.
      endpoint.next(answer(500));
      await log.replay(partnerId, id);
      await tried(3, 'failed');
    } finally {
      await dispatcher.stop();
      await endpoint.stop();
    }
  });

  it('is sent when another replica handles the replay request', async () => {
    const owner = await Dispatcher.start();
    const endpoint = await EndpointServer.start();
    const { partnerId } = await owner.createEndpoint(endpoint.url);
    const [sale] = await new DeliveryLog(owner).sales(partnerId, 1, 'delivered');
    const other = await Dispatcher.start({}, owner.database);
    try {
      const row = await owner.deliveryOf(sale?.oid ?? '');
      expect((await new DeliveryLog(other).replay(partnerId, row?.id ?? '')).status).toBe(202);
      await eventually(() => expect(endpoint.about(sale?.oid ?? '')).toHaveLength(2));
    } finally {
      await other.stop();
      await owner.stop();
      await endpoint.stop();
    }
  });

  it('is sent even if the replay comes right after the result of the previous attempt', async () => {
    // No regular sweep runs during the test, so only the replay itself can make the worker read the delivery again.
    const dispatcher = await Dispatcher.start({ POSTBACK_SWEEP_MS: '600000' });
    const endpoint = await EndpointServer.start();
    const log = new DeliveryLog(dispatcher);
    try {
      const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
      const [sale] = await log.sales(partnerId, 1, 'delivered');
      const oid = sale?.oid ?? '';
      const id = (await dispatcher.deliveryOf(oid))?.id ?? '';
      for (let attempts = 2; attempts <= 40; attempts++) {
        await log.replay(partnerId, id);
        await eventually(
          async () =>
            expect(await dispatcher.deliveryOf(oid)).toMatchObject({ attempt_count: attempts, status: 'delivered' }),
          { everyMs: 1 },
        );
      }
    } finally {
      await dispatcher.stop();
      await endpoint.stop();
    }
  });
});
