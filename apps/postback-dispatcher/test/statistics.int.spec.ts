import type { SaleCompleted } from '@tandem/contracts';
import { REQUEST_TIMEOUT_HEADER } from '@tandem/http-api';
import { figuresPath, figuresRecountPath, PostbackFigures } from '@tandem/internal-api';
import { eventually, keepLocks, uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { saleOf, serviceToken } from './dispatcher';
import { aroundNow, useDispatcher } from './delivery-log';
import { answer } from './endpoint-server';

const DAY_MS = 86_400_000;

/** Returns a generator of pseudo-random numbers (mulberry32). The same seed always produces the same numbers. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('statistics of deliveries', () => {
  const world = useDispatcher({
    POSTBACK_RETRY_SCHEDULE_SECONDS: '0,0.02,0.02',
    POSTBACK_DISABLE_AFTER: '100000',
    POSTBACK_SWEEP_MS: '100',
  });

  const RANGE = {
    from: new Date(Date.now() - DAY_MS).toISOString(),
    to: new Date(Date.now() + DAY_MS).toISOString(),
  };
  const ask = (query: Record<string, string>) =>
    world.dispatcher.request('GET', `${figuresPath()}?${new URLSearchParams({ environment: 'live', ...query })}`);
  const figures = async (partnerId: string, more: Record<string, string> = {}): Promise<PostbackFigures> => {
    const { status, body } = await ask({ partnerId, ...RANGE, ...more });
    expect({ status, body }).toMatchObject({ status: 200 });
    const problems = validateSync(plainToInstance(PostbackFigures, body), {
      whitelist: true,
      forbidNonWhitelisted: true,
    });
    expect(problems).toEqual([]);
    return body as unknown as PostbackFigures;
  };
  const recount = (partnerId: string | null) => world.dispatcher.request('POST', figuresRecountPath(), { partnerId });
  const createEndpoint = () => world.dispatcher.createEndpoint(world.endpoint.url);
  const quiet = (partnerId: string): Promise<void> =>
    eventually(async () =>
      expect(
        await world.dispatcher.database.query(
          `select 1 from postback.delivery where partner_id = $1 and status = 'pending'`,
          [partnerId],
        ),
      ).toEqual([]),
    );
  /** Returns the stored statistics, added up over the slots. Leaves out sums that contain neither first attempts nor failures. */
  const stored = () =>
    world.dispatcher.database.query(
      `select partner_id, environment, bucket, sum(delivered) as delivered, sum(failed) as failed, sum(first_attempts) as first_attempts,
         sum(first_attempt_ms) as ms, sum(first_within_50 + 2 * first_within_100 + 4 * first_within_250 + 8 * first_within_500
           + 16 * first_within_1000 + 32 * first_within_2500 + 64 * first_within_5000 + 128 * first_slower) as classes
       from postback.delivery_statistic group by 1, 2, 3 having sum(first_attempts) + sum(failed) > 0 order by 1, 2, 3`,
    );

  it('count delivered and failed deliveries, and the latencies of first attempts only [statistics.postbacks]', async () => {
    const { partnerId } = await createEndpoint();
    world.endpoint.next(answer(500), answer(200));
    await world.log.sales(partnerId, 3, 'delivered');
    world.endpoint.always(answer(500));
    await world.log.sales(partnerId, 1, 'failed');
    const { firstAttempt, ...counts } = await figures(partnerId);
    expect(counts).toEqual({ delivered: 3, failed: 1 });
    expect(firstAttempt).toEqual({ averageMs: expect.any(Number), p95Ms: expect.any(Number) });
    const [row] = await world.dispatcher.database.query(
      `select sum(first_attempts)::int as count from postback.delivery_statistic where partner_id = $1`,
      [partnerId],
    );
    expect(row).toEqual({ count: 4 });
  });

  it('count a first attempt in its latency class [statistics.postbacks]', async () => {
    const { partnerId } = await createEndpoint();
    world.endpoint.next((_, response) => void setTimeout(() => response.writeHead(200).end(), 120));
    await world.log.sales(partnerId, 1, 'delivered');
    const { averageMs, p95Ms } = (await figures(partnerId)).firstAttempt;
    expect(averageMs).toBeGreaterThanOrEqual(119);
    expect([250, 500, 1000]).toContain(p95Ms);
  });

  it('are zero or null for a partner without deliveries, in the other environment, and outside of the range', async () => {
    const none = { delivered: 0, failed: 0, firstAttempt: { averageMs: null, p95Ms: null } };
    const { partnerId } = await createEndpoint();
    await world.log.sales(partnerId, 1, 'delivered');
    expect(await figures(uniqueId('partner'))).toEqual(none);
    expect(await figures(partnerId, { environment: 'test' })).toEqual(none);
    expect(await figures(partnerId, { from: RANGE.to, to: '2100-01-01T00:00:00Z' })).toEqual(none);
  });

  it('count a replayed delivery once, by its last result', async () => {
    const { partnerId } = await createEndpoint();
    world.endpoint.always(answer(500));
    const [sale] = (await world.log.sales(partnerId, 1, 'failed')) as [SaleCompleted];
    expect(await figures(partnerId)).toMatchObject({ delivered: 0, failed: 1 });
    world.endpoint.always(answer(200));
    await world.log.replay(partnerId, (await world.dispatcher.deliveryOf(sale.oid))?.id ?? '');
    await world.log.settled(sale.oid, 'delivered');
    expect(await figures(partnerId)).toMatchObject({ delivered: 1, failed: 0 });
    await world.log.replayRange(partnerId, { ...aroundNow(), status: 'delivered' });
    await quiet(partnerId);
    expect(await figures(partnerId)).toMatchObject({ delivered: 1, failed: 0 });
  });

  it.each<[string, object]>([
    ['environment', { environment: 'staging' }],
    ['from', { from: 'yesterday' }],
    ['other', { other: 'x' }],
  ])('are refused with 422 when the query parameter %s is invalid', async (field, change) => {
    expect(await ask({ ...RANGE, ...change })).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  it('are refused without a service token', async () => {
    expect((await world.dispatcher.request('GET', figuresPath(), undefined, '')).status).toBe(401);
    expect((await world.dispatcher.request('POST', figuresRecountPath(), { partnerId: null }, '')).status).toBe(401);
  });

  describe('a recount', () => {
    it.each([1, 2, 3])(
      'finds no difference after random events and replays (seed %i) [statistics.recount]',
      async (seed) => {
        const random = randomFrom(seed);
        const partners = [await createEndpoint(), await createEndpoint()];
        world.endpoint.always((_, response) =>
          setTimeout(() => response.writeHead(random() < 0.6 ? 200 : 500).end(), random() * 8),
        );
        for (let round = 0; round < 6; round++) {
          for (const { partnerId } of partners) {
            const sales = Array.from({ length: 12 }, () =>
              saleOf(partnerId, { environment: random() < 0.8 ? 'live' : 'test' }),
            );
            await world.dispatcher.publish(...sales);
            await sleep(random() * 60);
            const closed = sales.filter(() => random() < 0.2);
            if (closed.length > 0) await world.dispatcher.close(closed);
            for (const { oid } of sales.filter(() => random() < 0.2)) {
              const delivery = await world.dispatcher.deliveryOf(oid);
              if (delivery) await world.log.replay(partnerId, delivery.id);
            }
            if (random() < 0.4) await world.log.replayRange(partnerId, aroundNow());
            if (random() < 0.2) await world.log.replayRange(partnerId, { ...aroundNow(), status: 'delivered' });
          }
        }
        for (const { partnerId } of partners) {
          await quiet(partnerId);
          expect(await figures(partnerId)).toMatchObject({ delivered: expect.any(Number) });
          expect(await recount(partnerId)).toMatchObject({ status: 200, body: { corrected: 0 } });
        }
        expect(await recount(null)).toMatchObject({ status: 200, body: { corrected: 0, since: null } });
      },
    );

    it('corrects wrong figures [statistics.recount]', async () => {
      const { partnerId } = await createEndpoint();
      await world.log.sales(partnerId, 2, 'delivered');
      world.endpoint.always(answer(500));
      await world.log.sales(partnerId, 1, 'failed');
      const before = await stored();
      await world.dispatcher.database.query(
        `update postback.delivery_statistic set delivered = delivered + 5, first_within_50 = first_within_50 - 1 where partner_id = $1`,
        [partnerId],
      );
      await world.dispatcher.database.query(
        `update postback.delivery_statistic set failed = failed + 1 where partner_id = '*'`,
      );
      expect(await stored()).not.toEqual(before);
      expect((await recount(partnerId)).body).toMatchObject({ corrected: 1 });
      expect((await recount(null)).body['corrected']).toBeGreaterThan(0);
      expect(await stored()).toEqual(before);
      expect((await recount(partnerId)).body).toMatchObject({ corrected: 0 });
    });

    it('changes nothing when its caller has disconnected [statistics.recount]', async () => {
      const { partnerId } = await createEndpoint();
      await world.log.sales(partnerId, 1, 'delivered');
      await quiet(partnerId);
      const { database, running } = world.dispatcher;
      await database.query('update postback.delivery_statistic set delivered = 9 where partner_id = $1', [partnerId]);
      const killed = new AbortController();
      const waiting = () =>
        database.query(
          `select from pg_stat_activity where datname = current_database() and state <> 'idle' and query like '%with truth as (%'
             and pid <> pg_backend_pid()`,
        );
      const call = await running.nest.get(DataSource).transaction(async (manager) => {
        await keepLocks(manager);
        await manager.query('lock table postback.delivery_statistic in share mode');
        const sent = fetch(running.url + figuresRecountPath(), {
          method: 'POST',
          signal: killed.signal,
          headers: {
            authorization: `Bearer ${await serviceToken()}`,
            'content-type': 'application/json',
            [REQUEST_TIMEOUT_HEADER]: '60000',
          },
          body: JSON.stringify({ partnerId }),
        }).catch((error: unknown) => error);
        await eventually(async () => expect(await waiting()).toHaveLength(1));
        killed.abort();
        const failed = await sent;
        // Gives the app time to notice that the connection is closed.
        await sleep(200);
        return { failed };
      });
      expect(call.failed).toMatchObject({ name: 'AbortError' });
      await eventually(async () => expect(await waiting()).toEqual([]));
      expect(await figures(partnerId)).toMatchObject({ delivered: 9 });
    });

    it('leaves figures from before the retention unchanged, and reports the time since which it counted [statistics.recount]', async () => {
      const partnerId = uniqueId('partner');
      await world.dispatcher.database.query(
        `insert into postback.delivery_statistic
         select $1, 'live', date_bin('15 minutes', now() - interval '90 days', timestamptz 'epoch'), 0, 7, 0, 7, 70, 7, 0, 0, 0, 0, 0, 0, 0`,
        [partnerId],
      );
      const { body } = await recount(partnerId);
      expect(body).toEqual({ corrected: 0, since: expect.any(String) });
      const age = Date.now() - Date.parse(String(body['since']));
      expect(age).toBeLessThan(90 * DAY_MS);
      expect(age).toBeGreaterThan(90 * DAY_MS - 3_600_000);
      const past = { from: new Date(Date.now() - 91 * DAY_MS).toISOString() };
      expect(await figures(partnerId, past)).toMatchObject({ delivered: 7 });
    });
  });
});
