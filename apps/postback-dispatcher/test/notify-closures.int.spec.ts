import { POSTBACK_DELIVERED, type SaleCompleted } from '@tandem/contracts';
import { closureNoticeId } from '@tandem/internal-api';
import { eventually } from '@tandem/testing';
import { verifyWebhook } from '@tandem/auth';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PartitionService } from '../src/delivery/partition.service';
import { type CreatedEndpoint, saleOf } from './dispatcher';
import { aroundNow, useDispatcher } from './delivery-log';
import { answer, type Behaviour } from './endpoint-server';

const DAY_MS = 86_400_000;

describe('the notice of a refund or chargeback', () => {
  const world = useDispatcher({ POSTBACK_SWEEP_MS: '100' });

  const createEndpoint = (notifyClosures = true): Promise<CreatedEndpoint> =>
    world.dispatcher.createEndpoint(world.endpoint.url, { notifyClosures });
  const delivered = async (partnerId: string, environment = 'live'): Promise<SaleCompleted> =>
    (await world.log.sales(partnerId, 1, 'delivered', environment))[0] as SaleCompleted;
  const listed = async ({ partnerId, oid, environment }: SaleCompleted, kind: string) =>
    (await world.log.page(partnerId, { oid }, environment)).items.filter((item) => item.kind === kind);
  const notified = (sale: SaleCompleted, count = 1) =>
    eventually(async () => {
      const notices = await listed(sale, 'closure');
      expect(notices.map(({ status }) => status)).toEqual(Array(count).fill('delivered'));
      return notices;
    });
  const noticesAt = ({ oid }: SaleCompleted) => world.endpoint.about(oid).filter(({ headers }) => headers['x-event']);
  /** Closes another sale and waits for its notice. A notice that was due earlier would have arrived by then. */
  const passed = async (partnerId: string): Promise<void> => {
    const other = await delivered(partnerId);
    await world.dispatcher.close([other]);
    await notified(other);
  };
  const remembered = ({ oid }: SaleCompleted): Promise<void> =>
    eventually(async () =>
      expect(
        await world.dispatcher.database.query(
          'select 1 from postback.sale_delivery where oid = $1 and closed_by is not null',
          [oid],
        ),
      ).toHaveLength(1),
    );

  it('is authenticated and signed like the postback, but has its own body and X-Event header [closures.notice]', async () => {
    const { partnerId, signingSecret } = await createEndpoint();
    const sale = await delivered(partnerId);
    await world.dispatcher.close([sale], { status: 'charged_back', closedAt: '2026-01-03T04:05:06.789Z' });
    const [notice] = await notified(sale);
    const [postback, request, ...more] = world.endpoint.about(sale.oid);
    expect(more).toEqual([]);
    expect(postback?.headers).not.toHaveProperty('x-event');
    expect(request?.body).toBe(
      `{"event":"sale.closed","oid":"${sale.oid}","sharedId":"ref-42","status":"charged_back","at":"2026-01-03T04:05:06.789Z"}`,
    );
    const { components } = JSON.parse(
      readFileSync(path.join(__dirname, '../../../docs/openapi/partner-api.json'), 'utf8'),
    ) as { components: { schemas: { SaleClosedNotice: { properties: object } } } };
    const described = Object.keys(components.schemas.SaleClosedNotice.properties);
    expect(described).toEqual(Object.keys(JSON.parse(request?.body ?? '') as object));
    expect(request?.headers).toMatchObject({
      'x-event': 'sale.closed',
      authorization: 'Bearer partner-key',
      'webhook-id': notice?.id,
    });
    expect(request?.headers['webhook-id']).not.toBe(postback?.headers['webhook-id']);
    const rawBody = Buffer.from(request?.body ?? '');
    const signed = { secrets: [signingSecret], headers: request?.headers ?? {}, rawBody, now: new Date() };
    expect(verifyWebhook(signed)).toMatchObject({ id: notice?.id });
    expect(await world.dispatcher.published(POSTBACK_DELIVERED.topic, sale.oid)).toHaveLength(1);
  });

  it('has the same sharedId as the postback, whatever characters the sharedId contains [closures.notice]', async () => {
    const { partnerId } = await createEndpoint();
    const sales = ['', 'a "quote" \\ and ünïcode\n'].map((sharedId) => saleOf(partnerId, { sharedId }));
    await world.dispatcher.publish(...sales);
    for (const sale of sales) await world.log.settled(sale.oid, 'delivered');
    await world.dispatcher.close(sales);
    for (const sale of sales) {
      await notified(sale);
      expect(JSON.parse(noticesAt(sale)[0]?.body ?? '')).toMatchObject({ sharedId: sale.sharedId });
    }
  });

  it('is not sent to a partner that has not opted in [closures.opt-in]', async () => {
    const { partnerId } = await createEndpoint(false);
    const sale = await delivered(partnerId);
    await world.dispatcher.close([sale]);
    await remembered(sale);
    await passed((await createEndpoint()).partnerId);
    expect([await listed(sale, 'closure'), noticesAt(sale)]).toEqual([[], []]);
  });

  it('stays enabled when a save omits notifyClosures, and is disabled by a save with false [closures.opt-in]', async () => {
    const { partnerId } = await createEndpoint();
    const save = (more: object) =>
      world.dispatcher.save(partnerId, { url: world.endpoint.url, authMethod: 'Bearer', ...more });
    expect((await save({})).body).toMatchObject({ notifyClosures: true });
    expect((await save({ notifyClosures: false })).body).toMatchObject({ notifyClosures: false });
    expect((await world.dispatcher.read(partnerId)).body).toMatchObject({ notifyClosures: false });
    expect(await save({ notifyClosures: 'yes' })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'notifyClosures' }] },
    });
  });

  it('is sent once for the refund and once for the chargeback of a sale, despite repeated events [closures.once]', async () => {
    const { partnerId } = await createEndpoint();
    const sale = await delivered(partnerId);
    await world.dispatcher.close([sale]);
    await world.dispatcher.close([sale], { closedAt: '2026-01-04T00:00:00.000Z' });
    await notified(sale);
    await world.dispatcher.close([sale], { status: 'charged_back', closedAt: '2026-01-05T00:00:00.000Z' });
    const notices = await notified(sale, 2);
    await passed(partnerId);
    expect(notices.map(({ id }) => id)).toEqual(
      (['charged_back', 'refunded'] as const).map((closing) => closureNoticeId('live', sale.oid, closing)),
    );
    expect(noticesAt(sale).map(({ body }) => (JSON.parse(body) as { status: string }).status)).toEqual([
      'refunded',
      'charged_back',
    ]);
  });

  it('is not sent if the endpoint never accepted the postback [closures.order]', async () => {
    const { partnerId } = await createEndpoint();
    const [unsent, refused] = [saleOf(partnerId), saleOf(partnerId)];
    await world.dispatcher.close([unsent]);
    await remembered(unsent);
    world.endpoint.always(answer(404));
    await world.dispatcher.publish(unsent, refused);
    await world.log.settled(refused.oid, 'failed');
    world.endpoint.always(answer(200));
    await world.dispatcher.close([refused]);
    await passed(partnerId);
    for (const sale of [unsent, refused]) expect(await listed(sale, 'closure')).toEqual([]);
  });

  it('is sent only after the endpoint has accepted the postback that was in flight during sale.closed [closures.order]', async () => {
    const { partnerId } = await createEndpoint();
    const sale = saleOf(partnerId);
    world.endpoint.next(() => undefined);
    await world.dispatcher.publish(sale);
    await eventually(() => expect(world.endpoint.about(sale.oid)).toHaveLength(1));
    await world.dispatcher.close([sale]);
    await world.log.settled(sale.oid, 'failed');
    expect(await listed(sale, 'closure')).toEqual([]);
    world.endpoint.answerAll();
    await notified(sale);
    expect(world.endpoint.about(sale.oid).map(({ headers }) => headers['x-event'])).toEqual([undefined, 'sale.closed']);
  });

  it('is added for a postback that was accepted, but is pending again after a replay [closures.order]', async () => {
    const { partnerId } = await createEndpoint();
    const sale = await delivered(partnerId);
    world.endpoint.next(answer(503, { 'retry-after': '60' }));
    await world.log.replay(partnerId, (await world.dispatcher.deliveryOf(sale.oid))?.id ?? '');
    await eventually(async () => expect((await world.dispatcher.deliveryOf(sale.oid))?.attempt_count).toBe(2));
    await world.dispatcher.close([sale]);
    const found = await eventually(async () => {
      const notices = await listed(sale, 'closure');
      expect(notices).toHaveLength(1);
      return notices[0];
    });
    expect(found?.status).not.toBe('failed');
  });

  it('is retried, logged and replayed like a postback [closures.log]', async () => {
    const { partnerId } = await createEndpoint();
    const sale = await delivered(partnerId);
    world.endpoint.next(answer(500));
    await world.dispatcher.close([sale]);
    const [notice] = await notified(sale);
    expect(notice).toMatchObject({
      kind: 'closure',
      oid: sale.oid,
      refId: 'ref-42',
      attempts: [
        { number: 1, status: 500 },
        { number: 2, status: 200 },
      ],
    });
    expect(await world.log.replay(partnerId, notice?.id ?? '')).toMatchObject({ status: 202 });
    await eventually(() => expect(noticesAt(sale)).toHaveLength(3));
    expect(new Set(noticesAt(sale).map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await listed(sale, 'sale'))[0]).toMatchObject({ kind: 'sale', status: 'delivered' });
    const { items } = await world.log.page(partnerId, { refId: 'ref-42' });
    expect(items.map(({ kind }) => kind)).toEqual(['closure', 'sale']);
  });

  it('is held if the endpoint is disabled, and is sent by a replay [closures.log]', async () => {
    const { partnerId } = await createEndpoint();
    const sale = await delivered(partnerId);
    await world.dispatcher.database.query(
      `update postback.endpoint set status = 'disabled', disabled_reason = 'endpoint_gone' where partner_id = $1`,
      [partnerId],
    );
    await world.dispatcher.close([sale]);
    await eventually(async () => expect(await listed(sale, 'closure')).toMatchObject([{ status: 'held' }]));
    await world.dispatcher.save(partnerId, { url: world.endpoint.url, authMethod: 'Bearer' });
    expect((await world.log.replayRange(partnerId, aroundNow())).body).toMatchObject({ count: 1 });
    await notified(sale);
  });

  it('has the X-Environment header for a test sale, like its postback', async () => {
    const { partnerId } = await createEndpoint();
    const body = { url: world.endpoint.url, authMethod: 'Bearer', key: 'k', notifyClosures: true } as const;
    await world.dispatcher.save(partnerId, body, 'test');
    const sale = await delivered(partnerId, 'test');
    await world.dispatcher.close([sale]);
    await notified(sale);
    expect(noticesAt(sale)[0]?.headers).toMatchObject({ 'x-environment': 'test', 'x-event': 'sale.closed' });
  });

  it('is deleted from closure_notice after 365 days', async () => {
    const { partnerId } = await createEndpoint();
    const sale = await delivered(partnerId);
    await world.dispatcher.close([sale]);
    await notified(sale);
    const partitions = world.dispatcher.running.nest.get(PartitionService, { strict: false });
    const sql = 'select 1 from postback.closure_notice where oid = $1';
    await partitions.maintain(new Date(Date.now() + 364 * DAY_MS));
    expect(await world.dispatcher.database.query(sql, [sale.oid])).toHaveLength(1);
    await partitions.maintain(new Date(Date.now() + 366 * DAY_MS));
    expect(await world.dispatcher.database.query(sql, [sale.oid])).toEqual([]);
  });
});

describe('the notice of a sale whose postback got no answer', () => {
  // The second attempt is due about an hour after the first, so a sale is closed after one attempt.
  const world = useDispatcher({
    POSTBACK_SWEEP_MS: '100',
    POSTBACK_TIMEOUT_MS: '300',
    POSTBACK_RETRY_SCHEDULE_SECONDS: '0,3600',
  });

  const hang: Behaviour = () => undefined;
  const published = async (behaviour: Behaviour, url = world.endpoint.url): Promise<SaleCompleted> => {
    const { partnerId } = await world.dispatcher.createEndpoint(url, { notifyClosures: true });
    const sale = saleOf(partnerId);
    world.endpoint.next(behaviour);
    await world.dispatcher.publish(sale);
    return sale;
  };
  const attempted = ({ oid }: SaleCompleted): Promise<void> =>
    eventually(async () => expect((await world.dispatcher.deliveryOf(oid))?.attempt_count).toBe(1));
  const noticesOf = async ({ partnerId, oid }: SaleCompleted) =>
    (await world.log.page(partnerId, { oid })).items.filter(({ kind }) => kind === 'closure');
  const noticed = (sale: SaleCompleted): Promise<void> =>
    eventually(async () => expect(await noticesOf(sale)).toMatchObject([{ status: 'pending' }]));
  /** Publishes sale.closed once more, and makes the notice due. Expects that the endpoint receives exactly one notice. */
  const sentOnce = async (sale: SaleCompleted): Promise<void> => {
    await world.dispatcher.close([sale], { closedAt: '2026-01-04T00:00:00.000Z' });
    await world.dispatcher.database.query(
      `update postback.delivery set next_attempt_at = now() where oid = $1 and kind = 'closure'`,
      [sale.oid],
    );
    await eventually(async () => expect(await noticesOf(sale)).toMatchObject([{ status: 'delivered' }]));
    const events = world.endpoint.about(sale.oid).map(({ headers }) => headers['x-event']);
    expect(events).toEqual([undefined, 'sale.closed']);
  };

  it.each<[string, Behaviour]>([
    ['timed out', hang],
    ['ended with a broken connection', (_request, _response, socket) => void socket.destroy()],
    [
      'ended in the middle of a 2xx answer',
      (_request, response, socket) => {
        response.writeHead(200, { 'content-length': 10 }).write('half');
        setTimeout(() => socket.destroy(), 50);
      },
    ],
  ])('is sent once if the attempt before sale.closed %s [closures.order]', async (_title, behaviour) => {
    const sale = await published(behaviour);
    await attempted(sale);
    await world.dispatcher.close([sale]);
    await noticed(sale);
    await sentOnce(sale);
  });

  it('is sent once if the attempt in flight during sale.closed times out [closures.order]', async () => {
    const sale = await published(hang);
    await eventually(() => expect(world.endpoint.about(sale.oid)).toHaveLength(1));
    await world.dispatcher.close([sale]);
    await noticed(sale);
    await sentOnce(sale);
  });

  it('is due a minute after it was added, because the endpoint may still be booking the sale [closures.order]', async () => {
    const sale = await published(hang);
    await attempted(sale);
    await world.dispatcher.close([sale]);
    await noticed(sale);
    const [notice] = await noticesOf(sale);
    const waitMs = Date.parse(notice?.nextAttemptAt ?? '') - Date.parse(notice?.createdAt ?? '');
    expect(waitMs).toBeGreaterThan(55_000);
    expect(waitMs).toBeLessThan(65_000);
  });

  it('is not added if no request was sent, or if the endpoint refused every request [closures.order]', async () => {
    const refused = await published(answer(500));
    await attempted(refused);
    const other = await published(hang);
    await attempted(other);
    // Nothing listens on port 1, so the connection is refused.
    const unsent = await published(hang, 'http://127.0.0.1:1/nobody');
    await attempted(unsent);
    await world.dispatcher.close([unsent, refused, other]);
    await noticed(other);
    expect([await noticesOf(unsent), await noticesOf(refused)]).toEqual([[], []]);
  });
});
