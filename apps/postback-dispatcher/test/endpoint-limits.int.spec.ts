import { endpointLimitsPath } from '@tandem/internal-api';
import { eventually, TestServiceKeys, uniqueId } from '@tandem/testing';
import { Dispatcher, saleOf, serviceToken } from './dispatcher';
import { answer, EndpointServer } from './endpoint-server';

describe('PUT /internal/partners/{id}/endpoint-limits', () => {
  let dispatcher: Dispatcher;
  let server: EndpointServer;

  beforeAll(async () => {
    dispatcher = await Dispatcher.start({ POSTBACK_BREAKER_PAUSE_MS: '3000', POSTBACK_BREAKER_MAX_PAUSE_MS: '3000' });
  });
  beforeEach(async () => {
    server = await EndpointServer.start();
  });
  afterEach(() => server.stop());
  afterAll(() => dispatcher?.stop());

  const limit = (partnerId: string, concurrency: unknown) =>
    dispatcher.request('PUT', endpointLimitsPath(partnerId), { concurrency });
  const configure = (partnerId: string, environment = 'live') =>
    dispatcher.save(partnerId, { url: server.url, authMethod: 'Bearer', key: 'key' }, environment);
  const stored = (partnerId: string) =>
    dispatcher.database.query<{ concurrency_max: number | null; config_version: number }>(
      `select concurrency_max, config_version from postback.endpoint where partner_id = $1 order by environment`,
      [partnerId],
    );
  const publish = (partnerId: string, count: number) =>
    dispatcher.publish(...Array.from({ length: count }, () => saleOf(partnerId)));
  const answerAfter = (ms: number) =>
    server.always((_, response) => void setTimeout(() => response.writeHead(200).end(), ms));
  const allWith = (status: string, partnerId: string, count: number) =>
    eventually(
      async () => {
        const rows = await dispatcher.database.query(
          `select from postback.delivery where partner_id = $1 and status = $2`,
          [partnerId, status],
        );
        expect(rows).toHaveLength(count);
      },
      { timeoutMs: 20_000 },
    );
  const allDelivered = (partnerId: string, count: number) => allWith('delivered', partnerId, count);

  it('applies to endpoints that are configured later, in both environments [admin.endpoint-limits]', async () => {
    const partnerId = uniqueId('partner');
    expect(await limit(partnerId, 2)).toMatchObject({ status: 200, body: { concurrency: 2, revision: 1 } });
    await configure(partnerId);
    await configure(partnerId, 'test');
    expect((await stored(partnerId)).map((endpoint) => endpoint.concurrency_max)).toEqual([2, 2]);
    answerAfter(30);
    await publish(partnerId, 12);
    await allDelivered(partnerId, 12);
    expect(server.mostInFlight).toBe(2);
  });

  it('allows no second concurrent request once the limit is 1 [admin.endpoint-limits]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    answerAfter(50);
    await publish(partnerId, 120);
    await eventually(() => expect(server.inFlight).toBeGreaterThan(5));
    await limit(partnerId, 1);
    const startedBefore = server.received.length;
    // Up to 10 requests that were started before the limit changed may still arrive. All further requests were started after the change.
    await eventually(() => expect(server.received.length).toBeGreaterThan(startedBefore + 10));
    server.mostInFlight = 0;
    answerAfter(5);
    await allDelivered(partnerId, 120);
    expect(server.received).toHaveLength(120);
    expect(startedBefore).toBeLessThan(60);
    expect(server.mostInFlight).toBe(1);
  });

  it('restores the platform’s default when the limit is null [admin.endpoint-limits]', async () => {
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    await limit(partnerId, 1);
    server.always(() => undefined);
    await publish(partnerId, 30);
    await eventually(() => expect(server.inFlight).toBe(1));
    await allWith('pending', partnerId, 30);
    // A sale of another partner is published now. It is handed over after the 30 sales above. When it is delivered, all 30 sales have
    // therefore been handed over.
    const other = await EndpointServer.start();
    const marker = await dispatcher.createEndpoint(other.url);
    await publish(marker.partnerId, 1);
    await allDelivered(marker.partnerId, 1);
    await other.stop();
    expect(server.received).toHaveLength(1);
    expect(await limit(partnerId, null)).toMatchObject({ status: 200, body: { concurrency: null, revision: 2 } });
    await eventually(() => expect(server.inFlight).toBe(10));
    expect((await stored(partnerId)).map((endpoint) => endpoint.concurrency_max)).toEqual([null]);
  });

  it('creates a new configuration version when the limit changes, and affects no other partner', async () => {
    const [one, other] = [uniqueId('partner'), uniqueId('partner')];
    await configure(one);
    await configure(other);
    const before = (await dispatcher.read(one)).body;
    expect((await limit(one, 7)).body).toEqual({ concurrency: 7, revision: 1 });
    expect((await limit(one, 7)).body).toEqual({ concurrency: 7, revision: 2 });
    expect(await stored(one)).toEqual([{ concurrency_max: 7, config_version: 2 }]);
    expect(await stored(other)).toEqual([{ concurrency_max: null, config_version: 1 }]);
    expect((await dispatcher.read(one)).body).toEqual(before);
  });

  it('applies to an endpoint that is configured at the same time', async () => {
    const partners = Array.from({ length: 20 }, () => uniqueId('partner'));
    await Promise.all(partners.flatMap((partnerId) => [configure(partnerId), limit(partnerId, 4)]));
    for (const partnerId of partners) expect(await stored(partnerId)).toMatchObject([{ concurrency_max: 4 }]);
  });

  it('does not enable a disabled endpoint [admin.endpoint-limits]', async () => {
    server.always(answer(410));
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    await publish(partnerId, 1);
    await eventually(async () =>
      expect((await dispatcher.read(partnerId)).body).toMatchObject({ disabledReason: 'endpoint_gone' }),
    );
    await limit(partnerId, 3);
    const late = saleOf(partnerId);
    await dispatcher.publish(late);
    await eventually(async () => expect(await dispatcher.deliveryOf(late.oid)).toMatchObject({ status: 'held' }));
    expect((await dispatcher.read(partnerId)).body).toMatchObject({ status: 'disabled' });
    expect(server.received).toHaveLength(1);
  });

  it('does not end the pause of an overloaded endpoint', async () => {
    server.next(answer(503));
    const { partnerId } = await dispatcher.createEndpoint(server.url);
    await publish(partnerId, 1);
    await eventually(() => expect(server.received).toHaveLength(1));
    const pausedAt = Date.now();
    // The pause must be stored before the limit is set, because setting the limit creates a new configuration version, and changes of older
    // versions are dropped.
    await eventually(async () => {
      const rows = await dispatcher.database.query(
        `select from postback.endpoint where partner_id = $1 and blocked_until > now()`,
        [partnerId],
      );
      expect(rows).toHaveLength(1);
    });
    await limit(partnerId, 3);
    await publish(partnerId, 3);
    await allDelivered(partnerId, 4);
    expect((server.received[1]?.at as number) - pausedAt).toBeGreaterThan(2_500);
  });

  it.each([0, 1001, 1.5, '5', true, [], undefined])('answers 422 to %p', async (concurrency) => {
    const partnerId = uniqueId('partner');
    await configure(partnerId);
    expect(await limit(partnerId, concurrency)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field: 'concurrency' }] },
    });
    expect(await stored(partnerId)).toEqual([{ concurrency_max: null, config_version: 1 }]);
  });

  it('answers 404 to a partner id that cannot exist', async () => {
    const answer = await dispatcher.request('PUT', endpointLimitsPath('a\0'), { concurrency: 1 });
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it.each<[string, string | Promise<string>]>([
    ['no token', ''],
    ['a token for another audience', serviceToken('partner-gateway')],
    [
      'a token that was signed with another key',
      serviceToken('postback-dispatcher', new TestServiceKeys('partner-gateway')),
    ],
  ])('refuses callers with %s', async (_, token) => {
    const path = endpointLimitsPath(uniqueId('partner'));
    expect(await dispatcher.request('PUT', path, { concurrency: 1 }, token)).toMatchObject({ status: 401 });
  });
});
