import { postbackRequestsPath, PostbackRequestPage } from '@tandem/internal-api';
import { eventually, uniqueId } from '@tandem/testing';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { DataSource } from 'typeorm';
import { useDispatcher } from './delivery-log';
import { type Answer, saleOf } from './dispatcher';
import { answer } from './endpoint-server';

const TEST = 'test';

const fits = (data: unknown): boolean =>
  validateSync(plainToInstance(PostbackRequestPage, data), { whitelist: true, forbidNonWhitelisted: true }).length ===
  0;

describe('GET …/requests', () => {
  const world = useDispatcher();

  const list = (partnerId: string, query: Record<string, string> = {}, environment = TEST): Promise<Answer> =>
    world.dispatcher.request('GET', `${postbackRequestsPath(partnerId, environment)}?${new URLSearchParams(query)}`);

  const page = async (
    partnerId: string,
    query: Record<string, string> = {},
    environment = TEST,
  ): Promise<PostbackRequestPage> => {
    const { status, body, text } = await list(partnerId, query, environment);
    if (status !== 200) throw new Error(`the request for a page was answered with ${status}: ${text}`);
    return body as unknown as PostbackRequestPage;
  };
  const oidsOf = ({ items }: PostbackRequestPage): string[] => items.map(({ oid }) => oid);
  const sell = (partnerId: string, count = 1, status = 'held') => world.log.sales(partnerId, count, status, TEST);
  const rowsOf = (partnerId: string) =>
    world.dispatcher.database.query<{ status: string; row: string }>(
      'select status, d::text as row from postback.delivery d where partner_id = $1 order by id',
      [partnerId],
    );

  it('returns the body, byte for byte, and the headers, even to a partner without a configuration [listen.page, listen.bytes]', async () => {
    const partnerId = uniqueId('partner');
    const { nextCursor } = await page(partnerId);
    const [sale] = await sell(partnerId);
    const shown = await page(partnerId, { cursor: nextCursor });
    const row = await world.dispatcher.deliveryOf(sale?.oid ?? '');
    expect(shown).toEqual({
      items: [
        {
          id: row?.id,
          kind: 'sale',
          oid: sale?.oid,
          createdAt: (row?.['created_at'] as Date).toISOString(),
          headers: {
            'content-type': 'application/json',
            'user-agent': 'Tandem-Postback/1.0',
            'webhook-id': row?.id,
            'x-environment': 'test',
          },
          body: row?.['body'],
        },
      ],
      nextCursor: expect.any(String),
      hasMore: false,
    });
    expect(fits(shown)).toBe(true);
  });

  it('returns the requests that the endpoint gets, including closure notices, and changes no delivery [listen.bytes, listen.no-effect]', async () => {
    const partnerId = uniqueId('partner');
    const configuration = { url: world.endpoint.url, authMethod: 'Bearer' as const, key: 'k', notifyClosures: true };
    await world.dispatcher.save(partnerId, configuration, TEST);
    world.endpoint.always(answer(200, {}, ''));
    const since = new Date(Date.now() - 60_000).toISOString();
    const sales = await sell(partnerId, 1, 'delivered');
    await world.dispatcher.close(sales);
    await eventually(async () =>
      expect((await rowsOf(partnerId)).map(({ status }) => status)).toEqual(['delivered', 'delivered']),
    );
    const got = world.endpoint.received;
    const before = await rowsOf(partnerId);
    const { items } = await page(partnerId, { since });
    expect(items.map(({ kind }) => kind)).toEqual(['sale', 'closure']);
    for (const [index, { headers, body }] of items.entries()) {
      expect(got[index]?.body).toBe(body);
      expect(got[index]?.headers).toMatchObject(headers);
      const ours = Object.keys(got[index]?.headers ?? {}).filter((name) => /^(x-|webhook-|user-agent)/.test(name));
      expect(Object.keys(headers)).toEqual(
        expect.arrayContaining(ours.filter((name) => !/-(timestamp|signature)$/.test(name))),
      );
    }
    expect(await rowsOf(partnerId)).toEqual(before);
  });

  it('begins at the time of the first call, or at the time in the parameter `since` [listen.page]', async () => {
    const partnerId = uniqueId('partner');
    const [early] = await sell(partnerId);
    const since = new Date().toISOString();
    const [later] = await sell(partnerId);
    expect((await page(partnerId)).items).toEqual([]);
    expect(oidsOf(await page(partnerId, { since }))).toEqual([later?.oid]);
    const longAgo = { since: '2020-01-01T00:00:00Z' };
    expect(oidsOf(await page(partnerId, longAgo))).toEqual([early?.oid, later?.oid]);
    const future = await page(partnerId, { since: new Date(Date.now() + 3_600_000).toISOString() });
    await sell(partnerId);
    expect((await page(partnerId, { cursor: future.nextCursor })).items).toEqual([]);
  });

  it('returns each delivery once, oldest first, whatever its status and the page size [listen.once]', async () => {
    const partnerId = uniqueId('partner');
    const now = Date.now() - 60_000;
    const states = ['delivered', 'failed', 'held', 'pending'];
    await world.dispatcher.save(partnerId, { url: world.endpoint.url, authMethod: 'Bearer', key: 'k' });
    const newestFirst = await world.log.insert(
      partnerId,
      Array.from({ length: 23 }, (_, index) => ({
        // Each group of three deliveries has the same creation time, to the microsecond.
        createdAt: new Date(now + Math.floor(index / 3) * 1000).toISOString().replace('Z', '987Z'),
        status: states[index % 4] as string,
      })),
    );
    for (const limit of ['1', '2', '7', '100']) {
      const ids: string[] = [];
      let query: Record<string, string> = { since: new Date(now - 1000).toISOString(), limit };
      for (let more = true; more;) {
        const { items, nextCursor, hasMore } = await page(partnerId, query, 'live');
        ids.push(...items.map(({ id }) => id));
        expect(items.length).toBe(hasMore ? Number(limit) : items.length);
        query = { cursor: nextCursor, limit };
        more = hasMore;
      }
      expect([limit, ids]).toEqual([limit, newestFirst.toReversed()]);
      expect((await page(partnerId, query, 'live')).items).toEqual([]);
    }
  });

  it('does not miss a delivery whose transaction commits later than the transaction of a newer delivery [listen.once]', async () => {
    const partnerId = uniqueId('partner');
    const insert = `insert into delivery (id, partner_id, environment, oid, event_id, body, status)
      values (gen_random_uuid(), $1, 'test', $2, 'event', '{}', 'held')`;
    const { nextCursor: start } = await page(partnerId);
    const source = world.dispatcher.running.nest.get(DataSource);
    const seen: string[] = [];
    let cursor = start;
    const poll = async () => {
      const next = await page(partnerId, { cursor });
      seen.push(...oidsOf(next));
      cursor = next.nextCursor;
    };
    await source.transaction(async (slow) => {
      await slow.query(insert, [partnerId, 'early']);
      await source.query(insert, [partnerId, 'late']);
      await poll();
      await poll();
    });
    await poll();
    await poll();
    expect(seen).toEqual(['early', 'late']);
  });

  it('leaves out a sale that was closed before an endpoint accepted its postback', async () => {
    const partnerId = uniqueId('partner');
    const { nextCursor: cursor } = await page(partnerId);
    const [closed, kept] = await sell(partnerId, 2);
    if (closed === undefined) throw new Error('no sale');
    await world.dispatcher.close([closed]);
    await world.log.settled(closed.oid, 'failed');
    expect(oidsOf(await page(partnerId, { cursor }))).toEqual([kept?.oid]);
  });

  it('returns nothing of another partner or the other environment [listen.test-only]', async () => {
    const [partnerId, other] = [uniqueId('partner'), uniqueId('partner')];
    const { nextCursor: cursor } = await page(partnerId);
    await world.dispatcher.publish(saleOf(partnerId), saleOf(other, { environment: 'test' }));
    const [own] = await sell(partnerId);
    expect(oidsOf(await page(partnerId, { cursor }))).toEqual([own?.oid]);
  });

  it('refuses cursors of another partner, environment or list, and malformed cursors [listen.page]', async () => {
    const partnerId = uniqueId('partner');
    const { nextCursor: cursor } = await page(partnerId);
    await sell(partnerId, 2);
    const log = await world.log.page(partnerId, { limit: '1' }, TEST);
    const refused = { status: 400, body: { code: 'invalid_cursor' } };
    expect(await list(uniqueId('partner'), { cursor })).toMatchObject(refused);
    expect(await list(partnerId, { cursor }, 'live')).toMatchObject(refused);
    for (const one of [log.nextCursor ?? '', '', 'garbage', `${cursor}A`])
      expect(await list(partnerId, { cursor: one })).toMatchObject(refused);
  });

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['since', 'yesterday'],
    ['status', 'held'],
  ])('answers 422 to ?%s=%s [listen.page]', async (field, value) => {
    expect(await list(uniqueId('partner'), { [field]: value })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field }] },
    });
  });

  it('refuses callers without a service token', async () => {
    const path = postbackRequestsPath('p', TEST);
    expect((await world.dispatcher.request('GET', path, undefined, '')).status).toBe(401);
  });
});
