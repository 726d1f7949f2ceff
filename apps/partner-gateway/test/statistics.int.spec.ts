import { RECOUNT_TIMEOUT_MS } from '@tandem/database';
import { uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner } from './gateway';
import { type PaymentWorld, randomFrom, randomPayments, shuffle } from './payment-world';

const PATH = '/api/v2/partner/statistics';

interface Figures {
  readonly currency: string;
  readonly sales: number;
  readonly amount: string;
}

const NOTHING = { held: 0, revoked: 0, refunded: 0, chargedBack: 0 };
const NO_MONEY = { revokedAmount: '0.00', refundedAmount: '0.00', chargedBackAmount: '0.00' };

describe('the statistics API', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start();
  });
  afterAll(() => gateway.stop());
  beforeEach(async () => {
    partner = await gateway.createPartner();
  });

  const ask = (query = '', token = partner.token) => gateway.request('GET', `${PATH}${query}`, { token });
  const managed = (query = '') => gateway.manage('GET', `/admin/statistics${query}`);
  const figures = async (query = '', token = partner.token): Promise<{ totals: Figures[]; items: object[] }> => {
    const { status, body } = await ask(query, token);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body as unknown as { totals: Figures[]; items: object[] };
  };
  const sell = async (change: Parameters<typeof purchase>[1] = {}): Promise<string> => {
    const oid = uniqueId('sub');
    await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode }, ...change }));
    return oid;
  };
  const sellAt = (...times: string[]) => Promise.all(times.map((occurredAt) => sell({ occurredAt })));
  const recount = (id = partner.id) => gateway.manage('POST', `/admin/partners/${id}/statistics/recount`);
  const recountAll = () => gateway.manage('POST', '/admin/statistics/recount');

  it('returns exact figures for each day and currency [statistics.figures]', async () => {
    await sellAt('2026-03-01T10:00:00Z', '2026-03-01T22:00:00Z', '2026-03-03T00:00:00Z');
    await sell({ occurredAt: '2026-03-01T11:00:00Z', currency: 'EUR', amount: '5' });
    const { status, body } = await ask('?from=2026-03-01&to=2026-03-31');
    const of = (sales: number, amount: string, currency = 'USD') => ({
      currency,
      sales,
      amount,
      netAmount: amount,
      ...NOTHING,
      ...NO_MONEY,
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        from: '2026-03-01',
        to: '2026-03-31',
        by: 'day',
        timeZone: 'UTC',
        totals: [of(1, '5.00', 'EUR'), of(3, '299.70')],
        items: [
          { start: '2026-03-01', ...of(1, '5.00', 'EUR') },
          { start: '2026-03-01', ...of(2, '199.80') },
          { start: '2026-03-03', ...of(1, '99.90') },
        ],
        postbacks: null,
        vouchers: null,
      },
    });
  });

  it('counts revoked, refunded, charged-back and held sales [statistics.figures]', async () => {
    const now = new Date().toISOString();
    const [revoked, refunded, chargedBack] = [await sell(), await sell(), await sell()];
    await sell();
    const held = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
    const body = { subscriptionId: revoked };
    await gateway.request('PUT', '/api/v2/partner/subscription/revoke', { token: partner.token, body });
    await gateway.receive({ ...closure(refunded, 'subscription.refunded', 1), occurredAt: now });
    await gateway.receive({ ...closure(chargedBack, 'subscription.charged_back', 1), occurredAt: now });
    const all = { sales: 4, revoked: 1, refunded: 1, chargedBack: 1, amount: '399.60', netAmount: '99.90' };
    const money = { revokedAmount: '99.90', refundedAmount: '99.90', chargedBackAmount: '99.90' };
    expect((await figures()).totals).toEqual([{ currency: 'USD', held: 1, ...all, ...money }]);
    await gateway.manage('POST', `/admin/sales/${held}/release`);
    expect((await figures()).totals).toMatchObject([{ held: 0, sales: 5, amount: '499.50', netAmount: '199.80' }]);
  });

  it('stops counting a held sale once it is refused [statistics.figures]', async () => {
    const held = await sell({ customer: { emailMasked: 'a***z@yopmail.com' } });
    await gateway.manage('POST', `/admin/sales/${held}/refuse`);
    expect(await figures()).toMatchObject({ totals: [], items: [] });
  });

  it('does not count a sale that is pending or failed, or that was refunded before its purchase arrived', async () => {
    await sell({ paymentStatus: 'pending' });
    await sell({ paymentStatus: 'failed' });
    const oid = uniqueId('sub');
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode } }));
    expect(await figures()).toMatchObject({ totals: [], items: [] });
  });

  it.each<[string, string, string[]]>([
    // The sales are made at 18:15, 18:30, 23:30 and 00:00 UTC. In India, a day begins at 18:30 UTC.
    ['UTC', 'day', ['2026-03-01', '2026-03-02']],
    ['Europe/Berlin', 'day', ['2026-03-01', '2026-03-02']],
    ['America/New_York', 'day', ['2026-03-01']],
    ['Asia/Kolkata', 'day', ['2026-03-01', '2026-03-02']],
    ['UTC', 'week', ['2026-02-23', '2026-03-02']],
    ['UTC', 'month', ['2026-03-01']],
  ])('uses the days of the time zone %s for periods of a %s [statistics.time-zone]', async (timeZone, by, starts) => {
    await sellAt('2026-03-01T18:15:00Z', '2026-03-01T18:30:00Z', '2026-03-01T23:30:00Z', '2026-03-02T00:00:00Z');
    const { items, totals } = await figures(`?from=2026-03-01&to=2026-03-02&by=${by}&timeZone=${timeZone}`);
    expect(items.map((item) => (item as { start: string }).start)).toEqual(starts);
    expect(totals).toMatchObject([{ sales: 4 }]);
    const perDay = items.map((item) => (item as Figures).sales);
    if (timeZone === 'Asia/Kolkata') expect(perDay).toEqual([1, 3]);
    if (timeZone === 'Europe/Berlin') expect(perDay).toEqual([2, 2]);
  });

  it('counts each sale once on a day on which the clocks change [statistics.time-zone]', async () => {
    // In Berlin, the day 2026-10-25 has 25 hours: it lasts from 22:00 UTC of the previous day to 23:00 UTC.
    const hours = Array.from({ length: 25 }, (_, hour) => new Date(Date.UTC(2026, 9, 24, 22 + hour)).toISOString());
    for (const occurredAt of hours) await sell({ occurredAt });
    const { items } = await figures('?from=2026-10-24&to=2026-10-26&timeZone=Europe/Berlin');
    expect(items).toMatchObject([{ start: '2026-10-25', sales: 25 }]);
  });

  it('covers the last 30 days when no day is given', async () => {
    const { body } = await ask();
    const days = (Date.parse(String(body.to)) - Date.parse(String(body.from))) / 86_400_000;
    expect([days, body.to]).toEqual([29, new Date().toISOString().slice(0, 10)]);
  });

  it.each<[string, string]>([
    ['?from=2026-02-30', 'from'],
    ['?to=yesterday', 'to'],
    ['?from=2026-03-02&to=2026-03-01', 'to'],
    ['?from=2020-01-01&to=2026-01-01', 'from'],
    ['?from=2016-01-01&to=2026-12-01&by=month', 'from'],
    ['?timeZone=Mars/Olympus', 'timeZone'],
    ['?timeZone=%2B05:37', 'timeZone'],
    ['?timeZone=-05:00', 'timeZone'],
    ['?timeZone=%E2%88%9205:00', 'timeZone'],
    ['?by=year', 'by'],
    ['?partnerId=x', 'partnerId'],
  ])('refuses the query %s', async (query, field) => {
    expect(await ask(query)).toMatchObject({ status: 422, body: { errors: [{ field }] } });
  });

  it('says which form a date must have', async () => {
    const message = 'from must be a date of the form YYYY-MM-DD';
    expect(await ask('?from=yesterday')).toMatchObject({ body: { errors: [{ field: 'from', message }] } });
  });

  it('covers only the partner and the environment of the token, or those that a manager selects [statistics.own]', async () => {
    const checkoutToken = await gateway.checkoutToken(partner.testToken);
    await sell();
    await sell({ attribution: { checkoutToken } });
    await sell({ attribution: { checkoutToken } });
    const other = await gateway.createPartner();
    expect((await figures()).totals).toMatchObject([{ sales: 1 }]);
    expect((await figures('', partner.testToken)).totals).toMatchObject([{ sales: 2 }]);
    expect((await figures('', other.token)).totals).toEqual([]);
    const query = `?partnerId=${partner.id}`;
    expect((await managed(query)).body.totals).toMatchObject([{ sales: 1 }]);
    expect((await managed(`${query}&environment=test`)).body.totals).toMatchObject([{ sales: 2 }]);
  });

  it('answers 422 to partnerId=*, which stands for all partners in the tables', async () => {
    await sell();
    expect(await managed('?partnerId=*')).toMatchObject({ status: 422, body: { errors: [{ field: 'partnerId' }] } });
  });

  describe('the ranking of partners', () => {
    const ranked = async (query: string) => {
      const { status, body } = await gateway.manage('GET', `/admin/statistics/partners?${query}`);
      expect({ status, body }).toMatchObject({ status: 200 });
      return body as unknown as { from: string; to: string; items: Record<string, unknown>[] };
    };
    const sellFor = async ({ promotionCode }: TestPartner, change: Parameters<typeof purchase>[1]): Promise<string> =>
      sell({ attribution: { promotionCode }, ...change });

    it('has the partners with the highest net amounts first, in each currency [statistics.ranking]', async () => {
      const [one, other] = [partner, await gateway.createPartner()];
      const occurredAt = '2025-07-04T10:00:00Z';
      await sellFor(one, { occurredAt, amount: '10' });
      await sellFor(other, { occurredAt, amount: '30' });
      const refunded = await sellFor(one, { occurredAt, amount: '70' });
      await gateway.receive({ ...closure(refunded, 'subscription.refunded', 1), occurredAt: '2025-07-05T10:00:00Z' });
      await sellFor(one, { occurredAt, currency: 'EUR', amount: '5' });
      await sellFor(other, { occurredAt: '2025-08-01T00:00:00Z', amount: '99' });
      const { from, to, items } = await ranked('from=2025-07-02&to=2025-07-31');
      const names = items.map(({ currency, rank, partnerId, netAmount }) => [currency, rank, partnerId, netAmount]);
      expect([from, to, ...names]).toEqual([
        '2025-07-02',
        '2025-07-31',
        ['EUR', 1, one.id, '5.00'],
        ['USD', 1, other.id, '30.00'],
        ['USD', 2, one.id, '10.00'],
      ]);
      const { name } = (await gateway.manage('GET', `/admin/partners/${one.id}`)).body;
      expect(items[2]).toEqual({
        rank: 2,
        partnerId: one.id,
        partnerName: name,
        currency: 'USD',
        sales: 2,
        amount: '80.00',
        ...NOTHING,
        ...NO_MONEY,
        refunded: 1,
        refundedAmount: '70.00',
        netAmount: '10.00',
      });
      expect((await ranked('from=2025-07-02&to=2025-07-31&limit=1')).items.map(({ rank }) => rank)).toEqual([1, 1]);
    });

    it('orders equal net amounts by the number of sales, then by id [statistics.ranking]', async () => {
      const partners = [partner, await gateway.createPartner(), await gateway.createPartner()];
      const [first, second, third] = partners.sort(({ id: a }, { id: b }) => (a < b ? -1 : 1)) as [
        TestPartner,
        TestPartner,
        TestPartner,
      ];
      const occurredAt = '2025-02-04T10:00:00Z';
      for (const one of [third, second, first]) await sellFor(one, { occurredAt, amount: '10' });
      const refunded = await sellFor(third, { occurredAt, amount: '70' });
      await gateway.receive({ ...closure(refunded, 'subscription.refunded', 1), occurredAt: '2025-02-05T10:00:00Z' });
      const { items } = await ranked('from=2025-02-01&to=2025-02-28');
      expect(items.map(({ rank, partnerId, sales, netAmount }) => [rank, partnerId, sales, netAmount])).toEqual([
        [1, third.id, 2, '10.00'],
        [2, first.id, 1, '10.00'],
        [3, second.id, 1, '10.00'],
      ]);
    });

    it('has only the sales of the requested environment, in whole months of the requested time zone [statistics.ranking]', async () => {
      const checkoutToken = await gateway.checkoutToken(partner.testToken);
      await sell({ attribution: { checkoutToken }, occurredAt: '2025-05-31T23:00:00Z' });
      const days = 'from=2025-06-10&to=2025-06-10';
      const monthInBerlin = (environment: string) =>
        ranked(`${days}&environment=${environment}&by=month&timeZone=Europe/Berlin`);
      expect((await ranked(`${days}&environment=test`)).items).toEqual([]);
      expect((await ranked(`${days}&environment=test&by=month`)).items).toEqual([]);
      expect(await monthInBerlin('test')).toMatchObject({
        from: '2025-06-01',
        to: '2025-06-30',
        timeZone: 'Europe/Berlin',
        items: [{ rank: 1, partnerId: partner.id, sales: 1 }],
      });
      expect((await monthInBerlin('live')).items).toEqual([]);
    });

    it('omits partners with only held sales [statistics.ranking]', async () => {
      await sell({ customer: { emailMasked: 'a***z@yopmail.com' }, occurredAt: '2025-04-04T10:00:00Z' });
      expect((await ranked('from=2025-04-01&to=2025-04-30')).items).toEqual([]);
    });

    it.each([
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['from=2020-01-01&to=2026-01-01', 'from'],
      ['partnerId=x', 'partnerId'],
    ])('refuses the query ?%s', async (query, field) => {
      expect(await gateway.manage('GET', `/admin/statistics/partners?${query}`)).toMatchObject({
        status: 422,
        body: { errors: [{ field }] },
      });
    });
  });

  it('requires sales:read of a partner and partner:manage of a manager', async () => {
    const token = await gateway.issueToken(partner.id, { scopes: ['postback:read'] });
    expect((await ask('', token)).status).toBe(403);
    expect((await gateway.request('GET', PATH)).status).toBe(401);
    for (const [method, path] of [
      ['GET', '/admin/statistics'],
      ['GET', '/admin/statistics/partners'],
      ['POST', '/admin/statistics/recount'],
      ['POST', `/admin/partners/${partner.id}/statistics/recount`],
    ] as const) {
      expect((await gateway.request(method, path)).status).toBe(401);
      const supportToken = await gateway.managerToken({ scope: 'support' });
      expect((await gateway.request(method, path, { token: supportToken })).status).toBe(403);
      expect((await gateway.request(method, path, { token: partner.token })).status).toBe(401);
    }
  });

  describe('figures of postbacks and vouchers', () => {
    const POSTBACKS = { delivered: 118, failed: 2, firstAttempt: { averageMs: 84, p95Ms: 250 } };
    const VOUCHERS = { created: 500, redeemed: 40 };
    const RECOUNTED = { corrected: 3, since: '2026-01-01T00:00:00.000Z' };

    beforeEach(() => {
      gateway.dispatcher.answerBy(({ method }) => [200, method === 'GET' ? POSTBACKS : RECOUNTED]);
      gateway.vouchers.answerBy(({ method }) => [200, method === 'GET' ? VOUCHERS : { corrected: 0, since: null }]);
    });
    afterEach(() => {
      gateway.dispatcher.answer(404, {});
      gateway.vouchers.answer(404, {});
    });

    it('come from the apps that count them, for the same range as the sales [statistics.postbacks, statistics.vouchers]', async () => {
      const query = '?from=2026-03-01&to=2026-03-31&timeZone=Europe/Berlin';
      expect((await ask(query)).body).toMatchObject({ postbacks: POSTBACKS, vouchers: VOUCHERS });
      for (const { requests } of [gateway.dispatcher, gateway.vouchers]) {
        const { method, url } = requests.at(-1) as { method: string; url: string };
        const { pathname, searchParams } = new URL(url, 'http://app');
        expect([method, pathname]).toEqual(['GET', '/internal/statistics']);
        expect(Object.fromEntries(searchParams)).toEqual({
          partnerId: partner.id,
          environment: 'live',
          from: '2026-02-28T23:00:00.000Z',
          to: '2026-03-31T22:00:00.000Z',
        });
      }
    });

    it('are requested from 1970-01-01 on, although the first week of 1970 begins in 1969', async () => {
      expect(await ask('?from=1970-01-01&to=1970-01-31&by=week')).toMatchObject({
        status: 200,
        body: { from: '1969-12-29', postbacks: POSTBACKS },
      });
      const { searchParams } = new URL(gateway.dispatcher.requests.at(-1)?.url ?? '', 'http://app');
      expect(searchParams.get('from')).toBe('1970-01-01T00:00:00.000Z');
    });

    it('cover the partner that a manager selects, or all partners [statistics.postbacks]', async () => {
      const asked = () => new URL(gateway.dispatcher.requests.at(-1)?.url ?? '', 'http://app').searchParams;
      expect((await managed(`?partnerId=${partner.id}&environment=test`)).body).toMatchObject({ postbacks: POSTBACKS });
      expect([asked().get('partnerId'), asked().get('environment')]).toEqual([partner.id, 'test']);
      await managed();
      expect([asked().get('partnerId'), asked().get('environment')]).toEqual([null, 'live']);
    });

    it('are null while the app that counts them fails; figures of sales are still returned [statistics.down]', async () => {
      await sell();
      gateway.dispatcher.answer(500, {});
      expect((await ask()).body).toMatchObject({ totals: [{ sales: 1 }], postbacks: null, vouchers: VOUCHERS });
      gateway.vouchers.answer(503, {});
      expect(await ask()).toMatchObject({ status: 200, body: { postbacks: null, vouchers: null } });
    });

    it('are recounted by their apps when sales are recounted, and one audit row has all results [statistics.recount]', async () => {
      const answer = { corrected: 0, postbacks: RECOUNTED, vouchers: { corrected: 0, since: null } };
      expect((await recount()).body).toEqual(answer);
      for (const { requests } of [gateway.dispatcher, gateway.vouchers]) {
        const { method, url, body } = requests.at(-1) ?? {};
        expect([method, url, body]).toEqual(['POST', '/internal/statistics/recount', { partnerId: partner.id }]);
      }
      const { body } = await gateway.manage('GET', '/admin/audit?limit=1');
      expect((body.items as object[])[0]).toMatchObject({ action: 'statistics.recounted', after: answer });
      const waits = [gateway.dispatcher, gateway.vouchers].map(({ requests }) => requests.at(-1)?.headers);
      // The called app gets a time limit that is one second shorter than the time for which partner-gateway waits for the answer.
      const wait = String(RECOUNT_TIMEOUT_MS + 2_000);
      expect(waits.map((headers) => headers?.['x-request-timeout-ms'])).toEqual([wait, wait]);
      await recountAll();
      expect(gateway.dispatcher.requests.at(-1)?.body).toEqual({ partnerId: null });
    });

    it('are null in a recount while the app that counts them is down; sales are still recounted [statistics.down]', async () => {
      gateway.vouchers.answer(503, {});
      expect(await recount()).toMatchObject({
        status: 200,
        body: { corrected: 0, postbacks: RECOUNTED, vouchers: null },
      });
    });
  });

  describe('a recount', () => {
    /** Returns the stored figures, with the rows of all slots added up. */
    const stored = () =>
      gateway.database.query<Record<string, string>>(
        `select partner_id, environment, bucket, promotion_id, currency, sum(sales) as sales, round(sum(amount), 2) as amount, sum(held) as held,
           sum(revoked) as revoked, round(sum(revoked_amount), 2) as revoked_amount, sum(refunded) as refunded, round(sum(refunded_amount), 2) as refunded_amount,
           sum(charged_back) as charged_back, round(sum(charged_back_amount), 2) as charged_back_amount
         from partner.sale_statistic group by 1, 2, 3, 4, 5
         having (sum(sales), sum(held)) <> (0, 0) order by 1, 2, 3, 4, 5`,
      );

    it.each([1, 2, 3, 4])(
      'corrects no row after random payments, decisions and revocations (seed %i) [statistics.recount]',
      async (seed) => {
        const other = await gateway.createPartner();
        const world = {
          token: { checkoutToken: await gateway.checkoutToken(partner.token) },
          testToken: { checkoutToken: await gateway.checkoutToken(partner.testToken) },
          code: { promotionCode: other.promotionCode },
          unknownCode: { promotionCode: uniqueId('NONE') },
        } as PaymentWorld;
        const random = randomFrom(seed);
        const run = uniqueId(`statistics${seed}`);
        const payments = shuffle(randomPayments(run, world, 200, random), random);
        for (let from = 0, size = 1; from < payments.length; from += size, size += 5) {
          await gateway.receiveBatch(payments.slice(from, from + size));
          const { body } = await gateway.request('GET', '/api/v2/partner/sales?status=qualified&limit=3', {
            token: partner.token,
          });
          for (const { oid } of (body.items as { oid: string }[] | undefined) ?? []) {
            const revocation = { token: partner.token, body: { subscriptionId: oid } };
            if (random() < 0.3) await gateway.request('PUT', '/api/v2/partner/subscription/revoke', revocation);
          }
          const { body: held } = await gateway.manage('GET', '/admin/sales?status=held&limit=2');
          for (const { oid } of held.items as { oid: string }[]) {
            await gateway.manage('POST', `/admin/sales/${oid}/${random() < 0.5 ? 'release' : 'refuse'}`);
          }
        }
        expect((await figures('?by=month')).totals).not.toEqual([]);
        for (const id of [partner.id, other.id]) {
          expect(await recount(id)).toMatchObject({ status: 200, body: { corrected: 0 } });
        }
        expect(await recountAll()).toMatchObject({ status: 200, body: { corrected: 0 } });
      },
    );

    it('adds missing figures, corrects wrong figures, and adds an audit row [statistics.recount]', async () => {
      await sellAt('2026-03-01T10:00:00Z', '2026-03-01T10:16:00Z', '2026-03-02T10:00:00Z');
      const before = await stored();
      await gateway.database.query(
        `delete from partner.sale_statistic where partner_id = $1 and bucket = '2026-03-01T10:00:00Z'`,
        [partner.id],
      );
      await gateway.database.query(
        `update partner.sale_statistic set sales = sales + 7, amount = amount - 1 where partner_id = $1 and bucket >= '2026-03-02'`,
        [partner.id],
      );
      await gateway.database.query(`update partner.sale_statistic set held = held + 2 where partner_id = '*'`);
      expect(await stored()).not.toEqual(before);
      expect(await recount()).toMatchObject({ status: 200, body: { corrected: 2 } });
      expect((await recountAll()).body.corrected).toBeGreaterThan(0);
      expect(await stored()).toEqual(before);
      expect(await recount()).toMatchObject({ body: { corrected: 0 } });
      const { body } = await gateway.manage('GET', '/admin/audit?limit=3');
      expect((body.items as { action: string }[]).map(({ action }) => action)).toContain('statistics.recounted');
    });

    it('is not needed for the totals of all partners, which are written together with the figures of each partner', async () => {
      const other = await gateway.createPartner();
      const day = '?from=2026-05-05&to=2026-05-05';
      const sold = { occurredAt: '2026-05-05T10:00:00Z' };
      await sell(sold);
      await sell({ ...sold, attribution: { promotionCode: other.promotionCode } });
      expect((await managed(day)).body.totals).toMatchObject([{ sales: 2, amount: '199.80' }]);
      expect((await managed(`${day}&partnerId=${other.id}`)).body.totals).toMatchObject([{ sales: 1 }]);
    });

    it('gets 404 for an unknown partner', async () => {
      expect(await recount('ptn_unknown')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    });
  });
});
