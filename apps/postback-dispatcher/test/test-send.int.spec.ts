import { PostbackTestResult } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Webhook } from 'standardwebhooks';
import { DeliveryLog } from './delivery-log';
import { Dispatcher } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

const fits = (data: unknown): boolean =>
  validateSync(plainToInstance(PostbackTestResult, data), { whitelist: true, forbidNonWhitelisted: true }).length === 0;

describe('POST …/test', () => {
  let dispatcher: Dispatcher;
  let endpoint: EndpointServer;
  let log: DeliveryLog;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_TIMEOUT_MS: '300', POSTBACK_DISABLE_AFTER: '1' });
    log = new DeliveryLog(dispatcher);
  });
  afterAll(() => dispatcher?.stop());
  beforeEach(async () => {
    endpoint = await EndpointServer.start();
  });
  afterEach(() => endpoint.stop());

  it('sends a sample like the postback of a sale, and returns the result [deliveries.test]', async () => {
    const { partnerId, signingSecret } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(202, {}, 'taken'));
    const { status, body } = await log.test(partnerId);
    expect(status).toBe(200);
    expect(body).toEqual({
      delivered: true,
      status: 202,
      latencyMs: expect.any(Number),
      error: null,
      response: 'taken',
    });
    expect(fits(body)).toBe(true);
    const [request] = endpoint.received;
    expect(JSON.parse(request?.body ?? '')).toEqual({
      oid: expect.stringMatching(/^test_/),
      sharedId: 'test',
      emailMasked: 'j***e@example.com',
      currency: 'USD',
      items: [{ price: '49.95', quantity: '1', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' }],
    });
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer partner-key',
      'content-type': 'application/json',
      'webhook-id': expect.any(String),
    });
    expect(request?.headers).not.toHaveProperty('x-environment');
    new Webhook(signingSecret).verify(request?.body ?? '', request?.headers as Record<string, string>);
  });

  it('sends a new sample for each request, and adds no sample to the delivery log [deliveries.test]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await Promise.all([log.test(partnerId), log.test(partnerId)]);
    expect(endpoint.received).toHaveLength(2);
    expect(new Set(endpoint.received.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    expect(new Set(endpoint.received.map(({ body }) => body)).size).toBe(2);
    expect((await log.page(partnerId)).items).toEqual([]);
  });

  it('returns the status of an answer that is not 2xx, and the first 2 kB of its body', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(500, {}, 'x'.repeat(3000)));
    const { status, body } = await log.test(partnerId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ delivered: false, status: 500, error: 'status', response: 'x'.repeat(2048) });
    expect(endpoint.received).toHaveLength(1);
  });

  it('times out after POSTBACK_TIMEOUT_MS [deliveries.test]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(() => undefined);
    const { status, body } = await log.test(partnerId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ delivered: false, status: null, error: 'timeout (waiting)', response: null });
    expect(body['latencyMs']).toBeGreaterThanOrEqual(299);
    expect(fits(body)).toBe(true);
  });

  it('reports a refused connection', async () => {
    const away = await EndpointServer.start();
    const { partnerId } = await dispatcher.createEndpoint(away.url);
    await away.stop();
    expect((await log.test(partnerId)).body).toMatchObject({
      delivered: false,
      status: null,
      error: 'connect (ECONNREFUSED)',
      response: null,
    });
  });

  it('does not call an address that is not public', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    await dispatcher.database.query(`update postback.endpoint set url = 'http://10.0.0.1/' where partner_id = $1`, [
      partnerId,
    ]);
    expect((await log.test(partnerId)).body).toMatchObject({
      delivered: false,
      status: null,
      error: expect.stringMatching(/^ssrf_refused/),
    });
  });

  it('neither disables nor enables the endpoint, and sends even to a disabled endpoint', async () => {
    const { partnerId } = await dispatcher.createEndpoint(endpoint.url);
    endpoint.always(answer(410));
    expect((await log.test(partnerId)).body).toMatchObject({ delivered: false, status: 410 });
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'active' });
    await log.sales(partnerId, 1, 'failed');
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'disabled' });
    endpoint.always(answer(200));
    expect((await log.test(partnerId)).body).toMatchObject({ delivered: true });
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'disabled' });
  });

  it('answers 404 if only the other environment has a configuration, and sends X-Environment in the test environment', async () => {
    const partnerId = uniqueId('partner');
    expect(await log.test(partnerId)).toMatchObject({ status: 404, body: { code: 'postback_not_configured' } });
    await dispatcher.save(partnerId, { url: endpoint.url, authMethod: 'Basic', key: 'user:pass' }, 'test');
    expect(await log.test(partnerId)).toMatchObject({ status: 404 });
    expect((await log.test(partnerId, 'test')).body).toMatchObject({ delivered: true });
    expect(endpoint.received).toMatchObject([
      { headers: { 'x-environment': 'test', authorization: `Basic ${Buffer.from('user:pass').toString('base64')}` } },
    ]);
  });
});
