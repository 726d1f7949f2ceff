import { POSTBACK_DELIVERED, POSTBACK_FAILED, type SaleCompleted } from '@tandem/contracts';
import { eventually, keepLocks } from '@tandem/testing';
import { DataSource } from 'typeorm';
import { BacklogRepository } from '../src/delivery/backlog.repository';
import { PartitionService } from '../src/delivery/partition.service';
import { aroundNow, useDispatcher } from './delivery-log';
import { type DeliveryRow, saleOf } from './dispatcher';
import { answer } from './endpoint-server';

const STOPPED = { status: 'failed', closed_by: 'refunded', next_attempt_at: null };

describe('sale.closed', () => {
  // A retry is due about an hour after the first attempt, so only a replay causes a second attempt during a test.
  const world = useDispatcher({
    POSTBACK_RETRY_SCHEDULE_SECONDS: '0,3600',
    POSTBACK_ENDPOINT_CONCURRENCY: '1',
    POSTBACK_SWEEP_MS: '300',
  });

  const closed = ({ oid }: SaleCompleted, change: Partial<DeliveryRow> = {}): Promise<DeliveryRow> =>
    eventually(async () => {
      const row = await world.dispatcher.deliveryOf(oid);
      expect(row).toMatchObject({ ...STOPPED, ...change });
      return row as DeliveryRow;
    });
  const attempted = ({ oid }: SaleCompleted, count: number): Promise<void> =>
    eventually(async () => expect((await world.dispatcher.deliveryOf(oid))?.attempt_count).toBe(count));
  const viewOf = async ({ partnerId, oid, environment }: SaleCompleted) =>
    (await world.log.page(partnerId, { oid }, environment)).items[0];
  /** Creates a sale whose delivery has failed once and is waiting for its second attempt. */
  const waitingForRetry = async (): Promise<SaleCompleted> => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const sale = saleOf(partnerId);
    world.endpoint.next(answer(500));
    await world.dispatcher.publish(sale);
    await attempted(sale, 1);
    return sale;
  };

  const delivered = async (): Promise<SaleCompleted> => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    return (await world.log.sales(partnerId, 1, 'delivered'))[0] as SaleCompleted;
  };

  it('stops a delivery between two attempts, without another attempt [sales.closed-stops-postback]', async () => {
    const sale = await waitingForRetry();
    await world.dispatcher.close([sale]);
    expect(await closed(sale)).toMatchObject({ attempt_count: 1 });
    expect(await viewOf(sale)).toMatchObject({
      status: 'failed',
      error: 'sale refunded',
      nextAttemptAt: null,
      attempts: [{ number: 1, status: 500, error: 'status' }],
    });
    expect(await world.dispatcher.published(POSTBACK_FAILED.topic, sale.oid)).toEqual([]);
  });

  it('stops the delivery of a sale.completed that arrives later [sales.closed-stops-postback]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const [sale, other] = [saleOf(partnerId), saleOf(partnerId)];
    await world.dispatcher.close([sale], { status: 'charged_back' });
    await remembered(sale);
    await world.dispatcher.publish(sale, other);
    await world.log.settled(other.oid, 'delivered');
    expect(await closed(sale, { closed_by: 'charged_back' })).toMatchObject({ attempt_count: 0 });
    expect(await viewOf(sale)).toMatchObject({ error: 'sale charged back', attempts: [] });
    expect(world.endpoint.about(sale.oid)).toEqual([]);
  });

  it('stops a delivery that is queued in memory behind another delivery [sales.closed-stops-postback]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const [first, second, third] = [saleOf(partnerId), saleOf(partnerId), saleOf(partnerId)];
    world.endpoint.next(() => undefined);
    await world.dispatcher.publish(first);
    await eventually(() => expect(world.endpoint.about(first.oid)).toHaveLength(1));
    await world.dispatcher.publish(second, third);
    await world.log.settled(third.oid, 'pending');
    await world.dispatcher.close([second]);
    await closed(second);
    await heard();
    world.endpoint.answerAll();
    await world.log.settled(third.oid, 'delivered');
    expect(await closed(second)).toMatchObject({ attempt_count: 0 });
    expect(world.endpoint.about(second.oid)).toEqual([]);
  });

  it('stops a held delivery', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    await world.dispatcher.database.query(
      `update postback.endpoint set status = 'disabled', disabled_reason = 'endpoint_gone' where partner_id = $1`,
      [partnerId],
    );
    const [sale] = (await world.log.sales(partnerId, 1, 'held')) as [SaleCompleted];
    await world.dispatcher.close([sale]);
    await closed(sale);
  });

  it('does not abort a request in flight: if the endpoint accepts the postback, the delivery is delivered', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const sale = saleOf(partnerId);
    world.endpoint.next(() => undefined);
    await world.dispatcher.publish(sale);
    await eventually(() => expect(world.endpoint.about(sale.oid)).toHaveLength(1));
    await world.dispatcher.close([sale]);
    await closed(sale);
    world.endpoint.answerAll();
    await world.log.settled(sale.oid, 'delivered');
    expect(await viewOf(sale)).toMatchObject({ status: 'delivered', error: null, attempts: [{ status: 200 }] });
    expect(await world.dispatcher.published(POSTBACK_DELIVERED.topic, sale.oid)).toHaveLength(1);
  });

  it('stops further attempts, but still records the failure of an attempt in flight', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const sale = saleOf(partnerId);
    let fail = (): void => undefined;
    world.endpoint.next((_, response) => (fail = () => void response.writeHead(500).end()));
    await world.dispatcher.publish(sale);
    await eventually(() => expect(world.endpoint.about(sale.oid)).toHaveLength(1));
    await world.dispatcher.close([sale]);
    await closed(sale);
    fail();
    await attempted(sale, 1);
    await closed(sale);
    expect(await viewOf(sale)).toMatchObject({ error: 'sale refunded', attempts: [{ status: 500 }] });
  });

  it.each([
    ['answers 410', 410, 1],
    ['answers the last attempt with 500', 500, 2],
  ])('publishes and counts no failure when the endpoint %s after the closing', async (_title, status, attempts) => {
    const sale =
      attempts === 1
        ? saleOf((await world.dispatcher.createEndpoint(world.endpoint.url)).partnerId)
        : await waitingForRetry();
    let fail = (): void => undefined;
    world.endpoint.next((_, response) => (fail = () => void response.writeHead(status).end()));
    if (attempts === 1) await world.dispatcher.publish(sale);
    else await world.log.replay(sale.partnerId, (await world.log.settled(sale.oid, 'pending')).id);
    await eventually(() => expect(world.endpoint.about(sale.oid)).toHaveLength(attempts));
    await world.dispatcher.close([sale]);
    await closed(sale);
    fail();
    await attempted(sale, attempts);
    const counted = `select sum(failed)::int as failed from postback.delivery_statistic where partner_id = $1`;
    expect({
      published: await world.dispatcher.published(POSTBACK_FAILED.topic, sale.oid),
      counted: await world.dispatcher.database.query(counted, [sale.partnerId]),
      row: await closed(sale),
    }).toMatchObject({ published: [], counted: [{ failed: 0 }], row: { failure_reason: null } });
    expect(await viewOf(sale)).toMatchObject({ error: 'sale refunded' });
  });

  it('keeps the status of a delivered delivery, but excludes the delivery from replays [deliveries.replay-closed]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const [sale] = (await world.log.sales(partnerId, 1, 'delivered')) as [SaleCompleted];
    await world.dispatcher.close([sale]);
    const row = await closed(sale, { status: 'delivered' });
    expect(await world.log.replay(partnerId, row.id)).toMatchObject({ status: 409, body: { code: 'sale_closed' } });
    expect(await world.log.replayRange(partnerId, { ...aroundNow(), status: 'delivered' })).toMatchObject({
      status: 202,
      body: { count: 0 },
    });
    expect(await viewOf(sale)).toMatchObject({ status: 'delivered', error: null });
    expect(world.endpoint.about(sale.oid)).toHaveLength(1);
  });

  it('excludes the failed delivery of the closed sale from the replay of a range [deliveries.replay-closed]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const [sale, other] = [saleOf(partnerId), saleOf(partnerId)];
    world.endpoint.next(answer(410), answer(500));
    await world.dispatcher.publish(sale);
    await world.log.settled(sale.oid, 'failed');
    await world.dispatcher.save(partnerId, { url: world.endpoint.url, authMethod: 'Bearer', key: 'partner-key' });
    await world.dispatcher.publish(other);
    await attempted(other, 1);
    await world.dispatcher.database.query(
      `update postback.delivery set status = 'failed', failure_reason = 'attempts_exhausted', next_attempt_at = null where oid = $1`,
      [other.oid],
    );
    await world.dispatcher.close([sale]);
    await closed(sale);
    expect(await viewOf(sale)).toMatchObject({ error: 'sale refunded' });
    expect(await viewOf(other)).toMatchObject({ error: 'attempts exhausted' });
    expect(await world.log.replayRange(partnerId, aroundNow())).toMatchObject({ status: 202, body: { count: 1 } });
    await world.log.settled(other.oid, 'delivered');
    expect(world.endpoint.about(sale.oid)).toHaveLength(1);
  });

  describe.each<[string, () => Promise<SaleCompleted>, number]>([
    ['waits for a retry', () => waitingForRetry(), 1],
    ['was delivered', () => delivered(), 1],
  ])('with a concurrent replay of a delivery that %s', (_title, make, requests) => {
    const atOnce = async (first: 'replay' | 'close') => {
      const sale = await make();
      const { id } = (await world.dispatcher.deliveryOf(sale.oid)) as DeliveryRow;
      const works = { close: () => world.dispatcher.close([sale]), replay: () => world.log.replay(sale.partnerId, id) };
      const order = first === 'close' ? [works.close, works.replay] : [works.replay, works.close];
      const answers = await whileLocked(sale, order);
      await eventually(async () =>
        expect(await world.dispatcher.deliveryOf(sale.oid)).toMatchObject({ closed_by: 'refunded' }),
      );
      return { sale, replayed: answers.find((result) => result !== undefined) };
    };

    it('makes the replay answer 409 when sale.closed comes first [deliveries.replay-closed]', async () => {
      const { sale, replayed } = await atOnce('close');
      expect(replayed).toMatchObject({ status: 409, body: { code: 'sale_closed' } });
      await heard();
      expect(world.endpoint.about(sale.oid)).toHaveLength(requests);
    });

    it('leaves no delivery pending when sale.closed comes second', async () => {
      const { sale, replayed } = await atOnce('replay');
      expect(replayed).toMatchObject({ status: 202 });
      await heard();
      expect((await world.dispatcher.deliveryOf(sale.oid))?.status).not.toBe('pending');
    });
  });

  it('has no effect when it is repeated, but a chargeback after a refund changes the reason of the failure', async () => {
    const sale = await waitingForRetry();
    await world.dispatcher.close([sale]);
    await world.dispatcher.close([sale, sale]);
    await closed(sale);
    await world.dispatcher.close([sale], { status: 'charged_back', closedAt: '2026-01-04T00:00:00.000Z' });
    await closed(sale, { closed_by: 'charged_back' });
    const marker = await waitingForRetry();
    await world.dispatcher.close([sale, marker]);
    await closed(marker);
    expect(await viewOf(sale)).toMatchObject({ error: 'sale charged back' });
  });

  it('does not affect the other environment or the partner’s other sales', async () => {
    const sale = await waitingForRetry();
    const [sameOid, other] = [saleOf(sale.partnerId, { oid: sale.oid, environment: 'test' }), saleOf(sale.partnerId)];
    world.endpoint.next(answer(500));
    await world.dispatcher.publish(sameOid, other);
    await attempted(other, 1);
    await world.dispatcher.close([sale]);
    await eventually(async () => expect(await viewOf(sale)).toMatchObject({ error: 'sale refunded' }));
    expect(await viewOf(sameOid)).toMatchObject({ status: 'held', error: null });
    expect(await viewOf(other)).toMatchObject({ status: 'pending', error: null });
  });

  it('stops the only delivery of a sale when two sale.completed events of the sale arrive later, in one batch', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const sale = saleOf(partnerId);
    await world.dispatcher.close([sale]);
    await remembered(sale);
    await world.dispatcher.publish(sale, sale);
    await closed(sale);
    expect(world.endpoint.about(sale.oid)).toEqual([]);
  });

  it('does not make stopped deliveries count as failed in the metrics', async () => {
    const backlog = world.dispatcher.running.nest.get(BacklogRepository);
    const sale = await waitingForRetry();
    const before = await backlog.measure(60);
    await world.dispatcher.close([sale]);
    await closed(sale);
    const after = await backlog.measure(60);
    expect([after.failed, after.pending]).toEqual([before.failed, before.pending - 1]);
  });

  it('leaves a row in sale_delivery for a year, so that a late sale.completed causes no postback', async () => {
    const sale = saleOf((await world.dispatcher.createEndpoint(world.endpoint.url)).partnerId);
    await world.dispatcher.close([sale]);
    await remembered(sale);
    await grow(sale, 360);
    await world.dispatcher.publish(sale);
    await closed(sale);
    await world.dispatcher.running.nest.get(PartitionService).maintain(new Date());
    // Publishes sale.completed once more. This event has a new id, so the inbox does not recognize it as a repeat.
    await world.dispatcher.publish(sale);
    await heard();
    expect(await registered(sale)).toHaveLength(1);
    expect(world.endpoint.about(sale.oid)).toEqual([]);
    const other = saleOf('nobody');
    await world.dispatcher.close([other]);
    await remembered(other);
    await grow(other, 366);
    expect(await registered(other)).toEqual([]);
  });

  /** Makes the row of a sale older, and runs the maintenance. */
  async function grow({ oid }: SaleCompleted, days: number): Promise<void> {
    const old = `update postback.sale_delivery set created_at = now() - make_interval(days => $2) where oid = $1`;
    await world.dispatcher.database.query(old, [oid, days]);
    await world.dispatcher.running.nest.get(PartitionService).maintain(new Date());
  }

  const registered = ({ oid }: SaleCompleted) =>
    world.dispatcher.database.query(`select * from postback.sale_delivery where oid = $1`, [oid]);

  /** Waits until the closing of a sale without a delivery is stored. */
  const remembered = (sale: SaleCompleted): Promise<void> =>
    eventually(async () => expect(await registered(sale)).toMatchObject([{ delivery_id: null }]));

  /** Publishes another sale, and waits until it is delivered. */
  const heard = async (): Promise<void> => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const sale = saleOf(partnerId);
    await world.dispatcher.publish(sale);
    await world.log.settled(sale.oid, 'delivered');
  };

  /**
   * Starts `works` one after the other while the delivery is locked. Each starts when the previous one is waiting for the lock, so they get
   * the lock in this order.
   */
  async function whileLocked({ oid }: SaleCompleted, works: (() => Promise<unknown>)[]): Promise<unknown[]> {
    const running = await world.dispatcher.running.nest.get(DataSource).transaction(async (manager) => {
      await keepLocks(manager);
      await manager.query('select from delivery where oid = $1 for update', [oid]);
      const started: Promise<unknown>[] = [];
      for (const work of works) {
        started.push(work());
        await eventually(async () => {
          const [row] = await world.dispatcher.database.query<{ waiting: number }>(
            `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          expect(row?.waiting).toBe(started.length);
        });
      }
      // `works` are not awaited here, because they continue only when this transaction ends.
      return { started };
    });
    return Promise.all(running.started);
  }
});
