import { Logger } from '@nestjs/common';
import type { SalePostback } from '@tandem/internal-api';
import { eventually, uniqueId } from '@tandem/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { closure, Gateway, purchase, type TestPartner, timeOf } from './gateway';

const PATH = '/api/v2/partner/sales';
const ID = '01910000-0000-7000-8000-00000000000a';
const TIME = '2026-01-05T09:30:00.000Z';
const FUTURE = '9999-01-01T00:00:00Z';

interface Item {
  readonly oid: string;
  readonly status: string;
}

describe('GET /partner/sales', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  /** The postbacks that the stand-in for postback-dispatcher returns, by the ids of their sales. */
  const postbacks = new Map<string, SalePostback>();

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    partner = await gateway.createPartner();
    postbacks.clear();
    gateway.dispatcher.answerBy(({ body }) => {
      const { oids } = body as { oids: string[] };
      return [200, { items: oids.flatMap((oid) => postbacks.get(oid) ?? []) }];
    });
  });

  const ask = (query = '', token = partner.token) => gateway.request('GET', `${PATH}${query}`, { token });
  const list = async (query = '', token = partner.token): Promise<Item[]> => {
    const { status, body } = await ask(query, token);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body.items as Item[];
  };
  const oidsOf = async (query = '', token = partner.token) => (await list(query, token)).map(({ oid }) => oid);
  const exported = async (query = '', token = partner.token): Promise<Response> =>
    fetch(`${gateway.running.url}${PATH}/export${query}`, { headers: { authorization: `Bearer ${token}` } });

  const sell = async (change: Parameters<typeof purchase>[1] = {}, owner = partner): Promise<string> => {
    const oid = uniqueId('sub');
    const attribution = { promotionCode: owner.promotionCode, data4: 'order-1' };
    await gateway.receive(purchase(oid, { attribution, ...change }));
    return oid;
  };
  const sellOf = (reference: string, minute = 0) =>
    sell({ minute, attribution: { promotionCode: partner.promotionCode, data4: reference } });
  const postbackOf = (oid: string, change: Partial<SalePostback> = {}): SalePostback => ({
    id: ID,
    oid,
    status: 'delivered',
    attempts: 1,
    deliveredAt: TIME,
    nextAttemptAt: null,
    error: null,
    ...change,
  });

  it('returns exactly 13 fields of a sale and 6 fields of its postback [partner-sales.list, partner-sales.item, partner-sales.postback]', async () => {
    const oid = await sell();
    postbacks.set(oid, postbackOf(oid, { attempts: 3 }));
    const { status, body, headers } = await ask();
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        items: [
          {
            oid,
            refId: 'order-1',
            status: 'qualified',
            reason: null,
            currency: 'USD',
            amount: '99.90',
            items: [{ price: '49.95', quantity: '2', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' }],
            emailMasked: 'j***e@example.com',
            soldAt: timeOf(0),
            qualifiedAt: expect.any(String),
            revokedAt: null,
            closedAt: null,
            postback: { id: ID, status: 'delivered', attempts: 3, deliveredAt: TIME, nextAttemptAt: null, error: null },
          },
        ],
        nextCursor: null,
        hasMore: false,
      },
    });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('lists sales of every state, with the reason why a sale is held, failed or revoked [partner-sales.states]', async () => {
    const qualified = await sell();
    const held = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
    const failed = await sell({ paymentStatus: 'failed' });
    const pending = await sell({ paymentStatus: 'pending' });
    const [revoked, refunded, chargedBack] = [await sell(), await sell(), await sell()];
    const body = { subscriptionId: revoked, reason: 'returned' };
    await gateway.request('PUT', '/api/v2/partner/subscription/revoke', { token: partner.token, body });
    await gateway.receive(closure(refunded, 'subscription.refunded', 1));
    await gateway.receive(closure(chargedBack, 'subscription.charged_back', 2));
    const found = new Map((await list()).map((sale) => [sale.oid, sale]));
    const shown = { reason: null, closedAt: null, revokedAt: null };
    expect(found.size).toBe(7);
    expect(found.get(qualified)).toMatchObject({ ...shown, status: 'qualified' });
    expect(found.get(held)).toMatchObject({ ...shown, status: 'held', reason: 'disposable_email', postback: null });
    expect(found.get(failed)).toMatchObject({ ...shown, status: 'failed', reason: 'payment_failed' });
    expect(found.get(pending)).toMatchObject({ ...shown, status: 'pending', postback: null });
    expect(found.get(revoked)).toMatchObject({ status: 'revoked', reason: 'returned', revokedAt: expect.any(String) });
    expect(found.get(refunded)).toMatchObject({ ...shown, status: 'refunded', closedAt: timeOf(1) });
    expect(found.get(chargedBack)).toMatchObject({ ...shown, status: 'charged_back', closedAt: timeOf(2) });
  });

  it('requests the postbacks of a page in one call, and only those of sales that have qualified', async () => {
    const [first, second] = [await sell(), await sell()];
    await sell({ paymentStatus: 'pending' });
    const before = gateway.dispatcher.requests.length;
    await list();
    const asked = gateway.dispatcher.requests.slice(before);
    expect(asked).toHaveLength(1);
    expect((asked[0]?.body as { oids: string[] }).oids.sort()).toEqual([first, second].sort());
    expect(asked[0]?.url).toBe(`/internal/postback-configurations/${partner.id}/live/deliveries/of-sales`);
  });

  it('shows the postback of a qualified sale as unknown while postback-dispatcher fails [partner-sales.postback]', async () => {
    const [oid, pending] = [await sell(), await sell({ paymentStatus: 'pending' })];
    gateway.dispatcher.answer(500, {});
    const found = new Map((await list()).map((sale) => [sale.oid, sale]));
    expect(found.get(oid)).toMatchObject({ status: 'qualified', postback: { status: 'unknown', id: null } });
    expect(found.get(pending)).toMatchObject({ postback: null });
    expect(await ask(`/${oid}`)).toMatchObject({ status: 200, body: { postback: { status: 'unknown' } } });
  });

  it('filters by status and by reference [partner-sales.filters]', async () => {
    const [mine, other] = [await sellOf('mine'), await sellOf('other', 1)];
    const pending = await sell({ paymentStatus: 'pending', minute: 2 });
    expect(await oidsOf('?status=qualified')).toEqual([other, mine]);
    expect(await oidsOf('?status=pending')).toEqual([pending]);
    expect(await oidsOf('?refId=mine')).toEqual([mine]);
    expect(await oidsOf('?refId=mine&status=pending')).toEqual([]);
    expect(await oidsOf('?status=revoked')).toEqual([]);
  });

  it('filters by the time of the sale: `from` is inclusive, `to` is exclusive [partner-sales.filters]', async () => {
    const oids = [await sell({ minute: 1 }), await sell({ minute: 2 }), await sell({ minute: 3 })];
    const range = (from: number, to: number) => `?from=${timeOf(from)}&to=${timeOf(to)}`;
    expect(await oidsOf(range(1, 3))).toEqual([oids[1], oids[0]]);
    expect(await oidsOf(`?from=${timeOf(3)}`)).toEqual([oids[2]]);
    expect(await oidsOf(`?to=${timeOf(2)}`)).toEqual([oids[0]]);
    expect(await oidsOf(`${range(2, 3)}&refId=order-1`)).toEqual([oids[1]]);
  });

  it.each(['', '?status=qualified', '?refId=order-1', `?to=${FUTURE}`])(
    'lists every sale once over all pages, even if sales have the same time: %s [partner-sales.list]',
    async (filter) => {
      const oids: string[] = [];
      for (const minute of [1, 2, 2, 2, 3]) oids.push(await sell({ minute }));
      const found: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const query = new URLSearchParams(filter);
        query.set('limit', '2');
        if (cursor !== '') query.set('cursor', cursor);
        const { body } = await ask(`?${query}`);
        found.push(...(body.items as Item[]).map(({ oid }) => oid));
        cursor = body.nextCursor as string | null;
      }
      expect(found).toEqual([oids[4], oids[3], oids[2], oids[1], oids[0]]);
    },
  );

  it('refuses a malformed cursor, and a cursor that was issued for other filters or to another partner', async () => {
    await sell();
    await sell();
    const { body } = await ask('?limit=1');
    const cursor = body.nextCursor as string;
    const other = await gateway.createPartner();
    const refused = { status: 400, body: { code: 'invalid_cursor' } };
    expect(await ask(`?cursor=${cursor}`)).toMatchObject({ status: 200 });
    expect(await ask(`?cursor=${cursor}&status=held`)).toMatchObject(refused);
    expect(await ask(`?cursor=${cursor}&from=2026-01-01T00:00:00Z`)).toMatchObject(refused);
    expect(await ask(`?cursor=${cursor}`, other.token)).toMatchObject(refused);
    expect(await ask(`?cursor=${cursor}`, partner.testToken)).toMatchObject(refused);
    expect(await ask('?cursor=AAAA')).toMatchObject(refused);
  });

  it.each<[string, string]>([
    ['?status=unattributed', 'status'],
    ['?refId=', 'refId'],
    ['?from=yesterday', 'from'],
    ['?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z', 'to'],
    ['?limit=201', 'limit'],
    ['?oid=sub-1', 'oid'],
  ])('refuses the query %s', async (query, field) => {
    expect(await ask(query)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  it('shows only sales of the caller’s partner and environment [partner-sales.own]', async () => {
    const other = await gateway.createPartner();
    const [live, ofOther] = [await sell(), await sell({}, other)];
    const checkoutToken = await gateway.checkoutToken(partner.testToken, '?ref_id=test');
    const test = await sell({ attribution: { checkoutToken } });
    expect(await oidsOf()).toEqual([live]);
    expect(await oidsOf('', partner.testToken)).toEqual([test]);
    const unknown = { status: 404, body: { code: 'subscription_not_found' } };
    for (const oid of [test, ofOther, 'sub-of-nobody']) expect(await ask(`/${oid}`)).toMatchObject(unknown);
    expect(await (await exported()).text()).not.toMatch(new RegExp(`${test}|${ofOther}`));
  });

  it('never shows a purchase that is not a partner’s sale [partner-sales.own]', async () => {
    const oid = await sell({ attribution: { promotionCode: 'NOBODYS' } });
    expect(await oidsOf()).toEqual([]);
    expect(await ask(`/${oid}`)).toMatchObject({ status: 404 });
  });

  it('returns a single sale for a path that ends with its oid [partner-sales.one]', async () => {
    const oid = await sell();
    postbacks.set(oid, postbackOf(oid, { status: 'pending', deliveredAt: null, nextAttemptAt: TIME }));
    expect(await ask(`/${oid}`)).toMatchObject({
      status: 200,
      body: { oid, status: 'qualified', postback: { status: 'pending', nextAttemptAt: TIME } },
    });
    expect(await ask('/%00')).toMatchObject({ status: 404, body: { code: 'subscription_not_found' } });
  });

  it.each(['', '/sub-1', '/export'])(
    'needs a token of a promotion partner with sales:read for the path "%s"',
    async (path) => {
      const call = (token?: string) => gateway.request('GET', PATH + path, { token });
      expect(await call()).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      const others = await gateway.issueToken(partner.id, { scopes: ['sales:revoke', 'postback:read'] });
      expect(await call(others)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
      const voucher = await gateway.createPartner({ kind: 'voucher' });
      const foreign = await gateway.issueForeignToken(voucher.id, ['sales:read']);
      expect(await call(foreign)).toMatchObject({ status: 403, body: { code: 'integration_kind_mismatch' } });
    },
  );

  describe('/export', () => {
    it('returns a header line and then a line for each matching sale, newest first [partner-sales.export]', async () => {
      const [first, second] = [await sellOf('first', 1), await sellOf('second, "quoted"', 2)];
      await sell({ paymentStatus: 'pending', minute: 3 });
      const answer = await exported('?status=qualified');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="sales.csv"');
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const at = ((await gateway.sale(first))?.qualified_at as Date).toISOString();
      const lines = (await answer.text()).split('\r\n');
      expect(lines).toHaveLength(4);
      expect(lines[0]).toBe(
        'oid,refId,status,reason,soldAt,currency,amount,emailMasked,qualifiedAt,revokedAt,closedAt',
      );
      expect(lines[1]).toContain(`${second},"second, ""quoted""",qualified,,${timeOf(2)},USD,99.90,`);
      expect(lines[2]).toBe(`${first},first,qualified,,${timeOf(1)},USD,99.90,j***e@example.com,${at},,`);
      expect(lines[3]).toBe('');
    });

    it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])(
      'prefixes %j so that a spreadsheet does not read it as a formula [partner-sales.export]',
      async (reference) => {
        const oid = await sell();
        await gateway.database.query('update partner.sale set shared_id = $2 where oid = $1', [oid, reference]);
        const [, line = ''] = (await (await exported()).text()).split('\r\n');
        expect(line.slice(oid.length)).toMatch(/^,"?'/);
      },
    );

    /** Inserts `count` copies of a sale. */
    const copy = (oid: string, count: number, reference = 'order-1') =>
      gateway.database.query(
        `insert into partner.sale (oid, status, version, partner_id, promotion_id, environment, shared_id, sold_at, email_masked)
         select oid || '_' || n, 'pending', 0, partner_id, promotion_id, environment, $3, sold_at, email_masked
           from partner.sale, generate_series(1, $2) n where oid = $1`,
        [oid, count, reference],
      );

    it('is complete over many pages [partner-sales.export]', async () => {
      await copy(await sell(), 2_500);
      const lines = (await (await exported()).text()).trimEnd().split('\r\n');
      expect(new Set(lines).size).toBe(2_502);
    });

    it('answers 422 to an invalid filter before the export begins, and does not offer the answer as a file', async () => {
      const reversed = await exported('?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z');
      expect([reversed.status, reversed.headers.get('content-disposition')]).toEqual([422, null]);
      expect(await gateway.request('GET', `${PATH}/export?from=x`, { token: partner.token })).toMatchObject({
        status: 422,
        body: { errors: [{ field: 'from' }] },
      });
    });

    it.each(['the token is revoked', 'the portal session ends', 'the partner is deactivated'])(
      'ends before its next page when %s, and logs one line [partner-sales.export]',
      async (event) => {
        const [issued, link] = await Promise.all([
          gateway.manage('POST', `/admin/partners/${partner.id}/tokens`, { environment: 'live' }),
          gateway.manage('POST', `/admin/partners/${partner.id}/portal-links`, { environment: 'live' }),
        ]);
        const code = String(link.body.url).split('#')[1];
        const session = await gateway.request('POST', '/api/v2/partner/portal-session', { token: code });
        const isSession = event === 'the portal session ends';
        // The export must be longer than the buffers of a connection. A shorter export would be complete before anything could end it.
        await copy(await sell(), 5_000, 'x'.repeat(10_000));
        const answer = await exported('', String((isSession ? session : issued).body.token));
        expect(answer.status).toBe(200);
        const warn = jest.spyOn(Logger.prototype, 'warn').mockClear();
        if (isSession) await gateway.manage('DELETE', `/admin/portal-links/${link.body.id}`);
        else if (event === 'the token is revoked') await gateway.manage('DELETE', `/admin/tokens/${issued.body.id}`);
        else await gateway.manage('PATCH', `/admin/partners/${partner.id}`, { active: false });
        const end = answer.text().then(
          () => 'the whole file',
          (error: Error) => error.message,
        );
        expect(await end).toBe('terminated');
        const fields = { msg: 'an export of sales has ended early', partnerId: partner.id };
        await eventually(() => expect(warn.mock.calls).toEqual([[expect.objectContaining(fields)]]));
        warn.mockRestore();
      },
    );

    it('waits while the maximum number of exports runs, and begins when one of them has ended [partner-sales.export]', async () => {
      // The export must be longer than the buffers of a connection. A shorter export would end even if nobody reads it.
      await copy(await sell(), 5_000, 'x'.repeat(10_000));
      const running = await Promise.all(Array.from({ length: 4 }, () => exported()));
      const fifth = exported('?status=held');
      const early = await Promise.race([fifth, sleep(300)]);
      expect(early && [early.status, await early.text()]).toBeUndefined();
      await running[0]?.body?.cancel();
      expect((await fifth).status).toBe(200);
      await Promise.all(running.slice(1).map(({ body }) => body?.cancel()));
    });
  });
});
