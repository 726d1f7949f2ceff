import { POSTBACK_DELIVERED, POSTBACK_FAILED } from '@tandem/contracts';
import { postbackConfigurationPath } from '@tandem/internal-api';
import { eventually } from '@tandem/testing';
import { Webhook } from 'standardwebhooks';
import { DeliveryRow, Dispatcher, saleOf } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('a postback', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_TIMEOUT_MS: '300', POSTBACK_DISABLE_AFTER: '3' });
  });
  afterAll(() => dispatcher?.stop());
  beforeEach(async () => {
    endpoint = await EndpointServer.start();
  });
  afterEach(() => endpoint.stop());

  const settled = (oid: string, status: string): Promise<DeliveryRow> =>
    eventually(async () => {
      const row = await dispatcher.deliveryOf(oid);
      expect(row?.status).toBe(status);
      return row as DeliveryRow;
    });

  it('is sent again after a failure, with the same webhook-id and body, and each time with a valid signature [postback-headers.id]', async () => {
    const { partnerId, signingSecret } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.next(answer(500, {}, 'broken'), answer(404));
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    const { id, attempt_count } = await settled(sale.oid, 'delivered');
    expect(attempt_count).toBe(3);
    const requests = endpoint.about(sale.oid);
    expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id]);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    for (const { body, headers } of requests)
      new Webhook(signingSecret).verify(body, headers as Record<string, string>);
    expect(await dispatcher.attemptsOf(sale.oid)).toMatchObject([
      { number: 1, status: 500, error: 'status', response: 'broken' },
      { number: 2, status: 404, error: 'status', response: null },
      { number: 3, status: 200, error: null },
    ]);
    expect(await dispatcher.published(POSTBACK_DELIVERED.topic, sale.oid)).toMatchObject([
      { attempts: 3, status: 200 },
    ]);
  });

  it('fails after the last attempt of the schedule [delivery.schedule]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(500));
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    const row = await settled(sale.oid, 'failed');
    expect(row).toMatchObject({ attempt_count: 3, failure_reason: 'attempts_exhausted', next_attempt_at: null });
    expect(endpoint.about(sale.oid)).toHaveLength(3);
    expect(await dispatcher.published(POSTBACK_FAILED.topic, sale.oid)).toMatchObject([
      { deliveryId: row.id, attempts: 3, reason: 'attempts_exhausted', status: 500 },
    ]);
    expect(await dispatcher.published(POSTBACK_DELIVERED.topic, sale.oid)).toEqual([]);
  });

  it('has an attempt in the log for each failure, with the stage of the failure', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.next(
      () => undefined,
      (_, __, socket) => void socket.resetAndDestroy(),
    );
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    await settled(sale.oid, 'delivered');
    expect(await dispatcher.attemptsOf(sale.oid)).toMatchObject([
      { status: null, error: 'timeout (waiting)' },
      { status: null, error: expect.stringMatching(/^reset/) },
      { status: 200, error: null },
    ]);
  });

  it('waits for the Retry-After of a 429, like the endpoint’s other postbacks [delivery.retry-after, delivery.slows-endpoint]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.next(answer(429, { 'retry-after': '1' }));
    const first = saleOf(partnerId);
    await dispatcher.publish(first);
    await eventually(() => expect(endpoint.received).toHaveLength(1));
    const second = saleOf(partnerId);
    await dispatcher.publish(second);
    await settled(first.oid, 'delivered');
    await settled(second.oid, 'delivered');
    const [refused, ...later] = endpoint.received;
    for (const { at } of later) expect(at - (refused?.at ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it('is retried at the last saved URL, with the last saved key [delivery.current-configuration]', async () => {
    const other = await EndpointServer.start();
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const saved = new Promise<number>((resolve) => {
      endpoint.always((_, response) => {
        const change = { url: other.url, authMethod: 'Basic', key: 'user:new' } as const;
        void dispatcher.save(partnerId, change).then(({ status }) => {
          resolve(status);
          response.writeHead(500).end();
        });
      });
    });
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    expect(await saved).toBe(200);
    await settled(sale.oid, 'delivered');
    expect(endpoint.about(sale.oid)).toHaveLength(1);
    expect(other.about(sale.oid).map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${Buffer.from('user:new').toString('base64')}`,
    ]);
    await other.stop();
  });

  it('is signed with the old and the new secret during the overlap after a rotation [postback.rotate-overlap]', async () => {
    const { partnerId, signingSecret } = await dispatcher.createEndpoint(endpoint.url);
    const path = `${postbackConfigurationPath(partnerId, 'live')}/signing-secret`;
    const { body } = await dispatcher.request('POST', path);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale);
    await settled(sale.oid, 'delivered');
    const [request] = endpoint.about(sale.oid);
    for (const secret of [signingSecret, body.signingSecret as string]) {
      new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    }
  });

  it('disables the configuration after a 410, and later deliveries are held [postback.view, delivery.gone, delivery.held]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(410));
    const first = saleOf(partnerId);
    await dispatcher.publish(first);
    expect(await settled(first.oid, 'failed')).toMatchObject({ attempt_count: 1, failure_reason: 'endpoint_gone' });
    expect(await dispatcher.published(POSTBACK_FAILED.topic, first.oid)).toMatchObject([
      { reason: 'endpoint_gone', status: 410 },
    ]);
    expect((await dispatcher.read(partnerId)).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'endpoint_gone',
    });

    const later = saleOf(partnerId);
    await dispatcher.publish(later);
    expect(await settled(later.oid, 'held')).toMatchObject({ attempt_count: 0, next_attempt_at: null });
    expect(endpoint.about(later.oid)).toEqual([]);
  });

  it('is held instead of retried when another postback gets a 410 [delivery.held]', async () => {
    // The retry is due after about ten minutes, so the delivery is still waiting for its retry when the other delivery gets a 410.
    const patient = await Dispatcher.start({ POSTBACK_RETRY_SCHEDULE_SECONDS: '0,600' });
    try {
      const { partnerId } = await patient.createEndpoint(endpoint.url);
      endpoint.next(answer(500), answer(410));
      const [waiting, last] = [saleOf(partnerId), saleOf(partnerId)];
      await patient.publish(waiting);
      await eventually(async () => expect((await patient.deliveryOf(waiting.oid))?.attempt_count).toBe(1));
      await patient.publish(last);
      await eventually(async () => {
        expect((await patient.deliveryOf(last.oid))?.status).toBe('failed');
        expect((await patient.deliveryOf(waiting.oid))?.status).toBe('held');
      });
    } finally {
      await patient.stop();
    }
  });

  it('disables the configuration, until the next save, if it is the third postback in a row that failed [delivery.exhausted, delivery.enabled-again]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(500));
    const sales = [saleOf(partnerId), saleOf(partnerId), saleOf(partnerId)];
    await dispatcher.publish(...sales);
    for (const { oid } of sales) await settled(oid, 'failed');
    await eventually(async () =>
      expect((await dispatcher.read(partnerId)).body).toMatchObject({
        status: 'disabled',
        disabledReason: 'deliveries_exhausted',
      }),
    );
    const held = saleOf(partnerId);
    await dispatcher.publish(held);
    await settled(held.oid, 'held');

    endpoint.always(answer(200));
    const { body } = await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Bearer' });
    expect(body).toMatchObject({ status: 'active' });
    expect(body).not.toHaveProperty('disabledReason');
    const after = saleOf(partnerId);
    await dispatcher.publish(after);
    await settled(after.oid, 'delivered');
    expect((await dispatcher.deliveryOf(held.oid))?.status).toBe('held');
  });

  it('resets the count of failed postbacks in a row when it is delivered [delivery.exhausted]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    for (const status of [500, 500, 200, 500, 500]) {
      endpoint.always(answer(status));
      const sale = saleOf(partnerId);
      await dispatcher.publish(sale);
      await settled(sale.oid, status === 200 ? 'delivered' : 'failed');
    }
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'active' });
  });

  it('is held when the partner has no configuration', async () => {
    const sale = saleOf('a-partner-without-one');
    await dispatcher.publish(sale);
    expect(await settled(sale.oid, 'held')).toMatchObject({ attempt_count: 0 });
  });

  it('is sent only to the endpoint of its own environment [tokens.test-data-only]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const sale = saleOf(partnerId, { environment: 'test' });
    await dispatcher.publish(sale);
    await settled(sale.oid, 'held');
    await dispatcher.save(partnerId, { url: `${endpoint.url}/test`, authMethod: 'Bearer', key: 'k' }, 'test');
    const sent = saleOf(partnerId, { environment: 'test' });
    await dispatcher.publish(sent);
    await settled(sent.oid, 'delivered');
    expect(endpoint.about(sent.oid)).toMatchObject([{ path: '/postback/test', headers: { 'x-environment': 'test' } }]);
  });

  it('is sent once per sale, however many events report the sale [interface.postback-sent]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    const sale = saleOf(partnerId);
    await dispatcher.publish(sale, sale, sale);
    await settled(sale.oid, 'delivered');
    const marker = saleOf(partnerId);
    await dispatcher.publish(sale, marker);
    await settled(marker.oid, 'delivered');
    expect(endpoint.about(sale.oid)).toHaveLength(1);
    const rows = await dispatcher.database.query(`select from postback.delivery where oid = $1`, [sale.oid]);
    expect(rows).toHaveLength(1);
  });
});
