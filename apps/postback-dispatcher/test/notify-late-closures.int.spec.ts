import { Logger } from '@nestjs/common';
import type { SaleCompleted } from '@tandem/contracts';
import { eventually } from '@tandem/testing';
import { PartitionRepository } from '../src/delivery/partition.repository';
import { PartitionService } from '../src/delivery/partition.service';
import { saleOf } from './dispatcher';
import { useDispatcher } from './delivery-log';

const DAY_MS = 86_400_000;
const LATER = '2026-01-04T00:00:00.000Z';
/** The fields of sale.closed that earlier releases of partner-gateway did not publish. */
const WITHOUT_SALE = { sharedId: undefined, qualifiedAt: undefined };

describe.each([
  ['the default retention', {}],
  // This retention is shorter than the time for which a dead letter of sale.completed is kept.
  ['a retention of 7 days', { POSTBACK_RETENTION_DAYS: '7' }],
])('the notice of a refund or chargeback after the delivery of the sale was dropped, with %s', (_title, retention) => {
  const world = useDispatcher({ POSTBACK_SWEEP_MS: '100', ...retention });
  afterEach(() => jest.restoreAllMocks());

  const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
  /** Creates a sale that was delivered the given number of days ago, and runs the maintenance, which drops its delivery. */
  const dropped = async (days: number, notifyClosures = true): Promise<SaleCompleted> => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url, { notifyClosures });
    const sale = saleOf(partnerId, { qualifiedAt: daysAgo(days).toISOString() });
    await world.dispatcher.publish(sale);
    await world.log.settled(sale.oid, 'delivered');
    const { nest } = world.dispatcher.running;
    const partition = { name: 'delivery_of_an_old_sale', from: daysAgo(days + 1), to: daysAgo(days - 1) };
    await nest
      .get(PartitionRepository, { strict: false })
      .exclusively('create', (session) => session.create('delivery', partition), 2_000);
    for (const table of ['delivery', 'sale_delivery']) {
      const older = `update postback.${table} set created_at = now() - make_interval(days => $2) where oid = $1`;
      await world.dispatcher.database.query(older, [sale.oid, days]);
    }
    await nest.get(PartitionService, { strict: false }).maintain();
    expect(await world.dispatcher.deliveryOf(sale.oid)).toBeUndefined();
    return sale;
  };
  const registered = ({ oid }: SaleCompleted) =>
    world.dispatcher.database.query(`select * from postback.sale_delivery where oid = $1`, [oid]);
  const closed = (sale: SaleCompleted, status = 'refunded'): Promise<void> =>
    eventually(async () => expect(await registered(sale)).toMatchObject([{ closed_by: status }]));
  const noticesOf = async ({ partnerId, oid }: SaleCompleted) =>
    (await world.log.page(partnerId, { oid })).items.filter(({ kind }) => kind === 'closure');
  /** Makes the notices of a sale due, and waits until they are delivered. */
  const delivered = async (sale: SaleCompleted): Promise<void> => {
    await world.dispatcher.database.query(
      `update postback.delivery set next_attempt_at = now() where oid = $1 and status = 'pending'`,
      [sale.oid],
    );
    await eventually(async () => {
      const statuses = (await noticesOf(sale)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set(['delivered']));
    });
  };

  it.each([
    ['still', 95, 1],
    ['no longer', 100, 0],
  ])(
    'is sent once while sale_delivery %s has the row of the sale [closures.notice, closures.once]',
    async (_row, days, rows) => {
      const sale = await dropped(days);
      expect(await registered(sale)).toHaveLength(rows);
      await world.dispatcher.close([sale, sale]);
      // The next closing is published only now: if one batch contained both, there would be one notice, with the time of the later closing.
      await eventually(async () => expect(await noticesOf(sale)).toHaveLength(1));
      await world.dispatcher.close([sale], { closedAt: LATER });
      await eventually(async () => expect(await registered(sale)).toMatchObject([{ closed_at: new Date(LATER) }]));
      expect(await noticesOf(sale)).toHaveLength(1);
      await delivered(sale);
      await world.dispatcher.close([sale], { status: 'charged_back', closedAt: '2026-01-05T00:00:00.000Z' });
      await eventually(async () => expect(await noticesOf(sale)).toHaveLength(2));
      await delivered(sale);
      const [postback, ...requests] = world.endpoint.about(sale.oid);
      expect(postback?.headers).not.toHaveProperty('x-event');
      expect(requests.map(({ body }) => body)).toEqual([
        `{"event":"sale.closed","oid":"${sale.oid}","sharedId":"ref-42","status":"refunded","at":"2026-01-03T00:00:00.000Z"}`,
        `{"event":"sale.closed","oid":"${sale.oid}","sharedId":"ref-42","status":"charged_back","at":"2026-01-05T00:00:00.000Z"}`,
      ]);
    },
  );

  it('is not sent again when a refunded and charged-back sale is refunded again months later [closures.once]', async () => {
    const sale = await dropped(95);
    await world.dispatcher.close([sale]);
    await closed(sale);
    await world.dispatcher.close([sale], { status: 'charged_back', closedAt: LATER });
    await closed(sale, 'charged_back');
    await world.dispatcher.database.query(
      `update postback.closure_notice set created_at = now() - interval '360 days' where oid = $1`,
      [sale.oid],
    );
    await world.dispatcher.running.nest.get(PartitionService, { strict: false }).maintain();
    await world.dispatcher.close([sale], { closedAt: '2026-01-05T00:00:00.000Z' });
    await closed(sale);
    expect(await noticesOf(sale)).toHaveLength(2);
  });

  it('is not sent to a partner that has not opted in [closures.opt-in]', async () => {
    const sale = await dropped(100, false);
    await world.dispatcher.close([sale]);
    await closed(sale);
    expect(await noticesOf(sale)).toEqual([]);
  });

  it('is not added if the sale is younger than 90 days and its sale.completed has not arrived yet [closures.order]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url, { notifyClosures: true });
    const sale = saleOf(partnerId, { qualifiedAt: daysAgo(89).toISOString() });
    await world.dispatcher.close([sale]);
    await closed(sale);
    await world.dispatcher.publish(sale);
    expect(await world.log.settled(sale.oid, 'failed')).toMatchObject({ closed_by: 'refunded' });
    expect(await noticesOf(sale)).toEqual([]);
  });

  it('is not added if the event has no data of the sale, and this is logged', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const sale = await dropped(95);
    const unsent = saleOf(sale.partnerId);
    const optedOut = await dropped(95, false);
    await world.dispatcher.close([optedOut, unsent, sale], WITHOUT_SALE);
    await Promise.all([closed(optedOut), closed(unsent), closed(sale)]);
    const { oid, partnerId } = sale;
    await eventually(() => {
      const lines = warn.mock.calls.flat().filter(({ msg }: { msg: string }) => msg.startsWith('closure no'));
      expect(lines).toEqual([{ msg: 'closure notice not added', oid, partnerId, reason: 'event_without_sale_data' }]);
    });
    expect(await Promise.all([sale, unsent, optedOut].map(noticesOf))).toEqual([[], [], []]);
  });
});
