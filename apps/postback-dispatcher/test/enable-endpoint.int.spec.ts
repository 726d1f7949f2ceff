import {
  attentionPath,
  type DispatcherAttention,
  postbackEnablePath,
  postbacksOfSalesPath,
  postbackStatusPath,
} from '@tandem/internal-api';
import { eventually, uniqueId } from '@tandem/testing';
import { useDispatcher } from './delivery-log';
import { saleOf } from './dispatcher';
import { answer } from './endpoint-server';

describe('the endpoint of a partner', () => {
  const world = useDispatcher();

  const status = (partnerId: string) => world.dispatcher.request('GET', postbackStatusPath(partnerId, 'live'));
  const enable = (partnerId: string) => world.dispatcher.request('POST', postbackEnablePath(partnerId, 'live'));

  /** Disables the endpoint with a 410. */
  const disable = async (partnerId: string): Promise<string> => {
    world.endpoint.next(answer(410));
    const [sale] = await world.log.sales(partnerId, 1, 'failed');
    return sale?.oid ?? '';
  };

  it('is shown to a manager with the end of its pause and without its key [admin.postback-status]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const { body, text } = await status(partnerId);
    expect(body).toMatchObject({ url: world.endpoint.url, status: 'active', hasKey: true, pausedUntil: null });
    expect(text).not.toContain('partner-key');
    expect(body.signingSecret).toBeUndefined();
    const at = new Date(Date.now() + 60_000).toISOString();
    await world.dispatcher.database.query(`update postback.endpoint set blocked_until = $2 where partner_id = $1`, [
      partnerId,
      at,
    ]);
    expect((await status(partnerId)).body).toMatchObject({ pausedUntil: at });
  });

  it('is shown to the partner with the end of its pause, before which no attempt is due [postback.view, deliveries.paused]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    world.endpoint.next(answer(503, { 'retry-after': '3600' }));
    const sales = [saleOf(partnerId), saleOf(partnerId)];
    await world.dispatcher.publish(sales[0] as (typeof sales)[number]);
    await eventually(async () => expect((await status(partnerId)).body.pausedUntil).not.toBeNull());
    // Without the pause, the postback of this sale would be due now.
    await world.dispatcher.publish(sales[1] as (typeof sales)[number]);
    await world.log.settled(String(sales[1]?.oid), 'pending');
    const { body } = await world.dispatcher.read(partnerId);
    const pausedUntil = Date.parse(String(body.pausedUntil));
    expect(pausedUntil).toBeGreaterThan(Date.now() + 3_000_000);
    const { items } = await world.log.page(partnerId, { status: 'pending' });
    const oids = sales.map(({ oid }) => oid);
    const { body: found } = await world.dispatcher.request('POST', postbacksOfSalesPath(partnerId, 'live'), { oids });
    for (const shown of [items, found.items as { nextAttemptAt: string }[]]) {
      expect(shown).toHaveLength(2);
      for (const { nextAttemptAt } of shown)
        expect(Date.parse(String(nextAttemptAt))).toBeGreaterThanOrEqual(pausedUntil);
    }
  });

  it('is listed first among the disabled endpoints that need attention when a 410 has just disabled it', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const { partnerId: later } = await world.dispatcher.createEndpoint(world.endpoint.url);
    await disable(later);
    await disable(partnerId);
    const { body } = await world.dispatcher.request('GET', attentionPath());
    const { items } = (body as unknown as DispatcherAttention).disabledEndpoints;
    expect(items.slice(0, 2).map((item) => item.partnerId)).toEqual([partnerId, later]);
  });

  it('has its old key and no pause after it was enabled, and receives the next sale [admin.postback-enable]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    await disable(partnerId);
    expect((await status(partnerId)).body).toMatchObject({ status: 'disabled', disabledReason: 'endpoint_gone' });
    const held = await world.log.sales(partnerId, 1, 'held');
    const enabled = await enable(partnerId);
    expect(enabled).toMatchObject({ status: 200, body: { status: 'active', pausedUntil: null } });
    expect(enabled.body.disabledReason).toBeUndefined();
    await world.log.sales(partnerId, 1, 'delivered');
    expect(world.endpoint.received.at(-1)?.headers.authorization).toBe('Bearer partner-key');
    expect((await world.dispatcher.deliveryOf(held[0]?.oid ?? ''))?.status).toBe('held');
  });

  it('receives new sales as soon as a manager ends its pause [admin.postback-enable]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    world.endpoint.next(answer(503, { 'retry-after': '3600' }));
    await world.dispatcher.publish(saleOf(partnerId));
    await eventually(async () => expect((await status(partnerId)).body.pausedUntil).not.toBeNull());
    await enable(partnerId);
    await world.log.sales(partnerId, 1, 'delivered');
  });

  it('does not change when a manager enables it although it is enabled and was never paused [admin.postback-enable]', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    const before = (await status(partnerId)).body;
    expect((await enable(partnerId)).body).toEqual(before);
  });

  it('causes 404 postback_not_configured if it does not exist', async () => {
    const refused = { status: 404, body: { code: 'postback_not_configured' } };
    expect(await status(uniqueId('partner'))).toMatchObject(refused);
    expect(await enable(uniqueId('partner'))).toMatchObject(refused);
  });

  it('is not available to callers without a service token', async () => {
    for (const [method, path] of [
      ['GET', postbackStatusPath('p', 'live')],
      ['POST', postbackEnablePath('p', 'live')],
    ] as const) {
      expect((await world.dispatcher.request(method, path, undefined, '')).status).toBe(401);
    }
  });
});
