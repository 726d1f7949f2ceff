import { PostbackReplayCount } from '@tandem/internal-api';
import { uniqueId } from '@tandem/testing';
import { validateSync } from 'class-validator';
import { aroundNow, useDispatcher } from './delivery-log';
import { answer } from './endpoint-server';

const DAY_MS = 86_400_000;

/** How many deliveries the partner of a test has of each status. Each number is different, so that a total shows which statuses were counted. */
const COUNTS = { failed: 1, held: 2, delivered: 4, pending: 8 };

describe('GET …/deliveries/replay', () => {
  const world = useDispatcher({ POSTBACK_REPLAY_MAX: '100' });

  /** Adds deliveries that were created now. @returns their ids */
  const add = (partnerId: string, counts: Readonly<Record<string, number>> = COUNTS): Promise<string[]> => {
    const statuses = Object.entries(counts).flatMap(([status, count]) => Array<string>(count).fill(status));
    const createdAt = new Date().toISOString();
    return world.log.insert(
      partnerId,
      statuses.map((status) => ({ createdAt, status })),
    );
  };
  const change = (ids: readonly string[], assignments: string): Promise<unknown> =>
    world.dispatcher.database.query(`update postback.delivery set ${assignments} where id = any ($1)`, [ids]);

  it.each<[string | undefined, number]>([
    [undefined, 3],
    ['failed', 1],
    ['held', 2],
    ['delivered', 4],
    ['pending', 8],
    ['all', 7],
  ])(
    'counts the deliveries that a replay with the status %s would send, and sends none of them [deliveries.count-replay]',
    async (status, expected) => {
      const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
      await add(partnerId);
      await change(await add(partnerId, { failed: 1, delivered: 1 }), `closed_by = 'refunded', closed_at = now()`);
      await change(await add(partnerId), `environment = 'test'`);
      await add((await world.dispatcher.createEndpoint(world.endpoint.url)).partnerId);
      const range = { ...aroundNow(), ...(status && { status }) };

      const before = await world.log.walk(partnerId);
      const counted = await world.log.countReplay(partnerId, range);
      expect(counted).toMatchObject({ status: 200, body: { count: expected } });
      expect(
        validateSync(Object.assign(new PostbackReplayCount(), counted.body), {
          whitelist: true,
          forbidNonWhitelisted: true,
        }),
      ).toEqual([]);
      expect(await world.log.walk(partnerId)).toEqual(before);
      expect(world.endpoint.received).toEqual([]);

      expect(await world.log.replayRange(partnerId, range)).toMatchObject({ status: 202, body: { count: expected } });
    },
  );

  it('counts the deliveries of a partner without an endpoint, or with a disabled endpoint', async () => {
    const partnerId = uniqueId('partner');
    await world.log.sales(partnerId, 2, 'held');
    expect((await world.log.countReplay(partnerId, aroundNow())).body).toEqual({ count: 2 });
    await world.dispatcher.save(partnerId, { url: world.endpoint.url, authMethod: 'Bearer', key: 'k' });
    world.endpoint.always(answer(410));
    await world.log.sales(partnerId, 1, 'failed');
    expect(await world.log.replayRange(partnerId, aroundNow())).toMatchObject({ status: 409 });
    expect((await world.log.countReplay(partnerId, aroundNow())).body).toEqual({ count: 3 });
  });

  it('includes the time `from` and excludes the time `to`', async () => {
    const partnerId = uniqueId('partner');
    const start = Date.now() - 60_000;
    const at = (ms: number): string => new Date(start + ms).toISOString();
    await world.log.insert(
      partnerId,
      [-1, 0, 1, 2].map((ms) => ({ createdAt: at(ms), status: 'held' })),
    );
    expect((await world.log.countReplay(partnerId, { from: at(0), to: at(2) })).body).toEqual({ count: 2 });
  });

  it('answers 422 to a range of more than POSTBACK_REPLAY_MAX deliveries, as the replay does', async () => {
    const { partnerId } = await world.dispatcher.createEndpoint(world.endpoint.url);
    await add(partnerId, { held: 100 });
    expect((await world.log.countReplay(partnerId, aroundNow())).body).toEqual({ count: 100 });
    await add(partnerId, { delivered: 1 });
    expect((await world.log.countReplay(partnerId, aroundNow())).body).toEqual({ count: 100 });
    const range = { ...aroundNow(), status: 'all' };
    const counted = await world.log.countReplay(partnerId, range);
    expect(counted).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'to', message: expect.stringContaining('there are more than 100 deliveries') }] },
    });
    expect(counted.body['errors']).toEqual((await world.log.replayRange(partnerId, range)).body['errors']);
  });

  const { from, to } = aroundNow();
  it.each<[string, Record<string, string>, string[]]>([
    ['a query without `from` and `to`', {}, ['from', 'to']],
    ['a query without `to`', { from }, ['to']],
    ['a date instead of a time', { from: '2026-01-05', to }, ['from']],
    ['a `to` that equals `from`', { from, to: from }, ['to']],
    [
      'a range longer than the retention',
      { from: new Date(Date.parse(to) - 90 * DAY_MS - 1).toISOString(), to },
      ['to'],
    ],
    ['an unknown status', { from, to, status: 'sent' }, ['status']],
    ['an empty status', { from, to, status: '' }, ['status']],
    ['an unknown parameter', { from, to, dryRun: 'true' }, ['dryRun']],
  ])('answers 422 to %s', async (_, query, fields) => {
    const refused = await world.log.countReplay(uniqueId('partner'), query);
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect((refused.body['errors'] as { field: string }[]).map(({ field }) => field)).toEqual(fields);
  });
});
