import { uniqueId } from '@tandem/testing';
import { SaleRepository } from '../src/sale/sale.repository';
import { Gateway, purchase } from './gateway';

const NOTHING = { count: 0, items: [] };
const NOTHING_OF_DISPATCHER = {
  disabledEndpoints: NOTHING,
  pausedEndpoints: NOTHING,
  failingEndpoints: NOTHING,
  failedPostbacks: NOTHING,
  heldPostbacks: NOTHING,
  deadLetters: NOTHING,
};

describe('GET /admin/attention', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await Gateway.start({ PARTNER_APPLICATIONS_ENABLED: 'true' });
  });
  afterAll(() => gateway.stop());
  beforeEach(() => {
    gateway.dispatcher.answer(200, NOTHING_OF_DISPATCHER);
  });

  const read = async () => (await gateway.manage('GET', '/admin/attention')).body;
  const letter = (app: string, failedAt: string) => ({ app, id: '1', topic: 'x', reason: 'y', failedAt });

  it('is empty when nothing needs attention [admin.attention]', async () => {
    expect(await read()).toEqual({
      heldSales: NOTHING,
      applications: NOTHING,
      disabledEndpoints: NOTHING,
      pausedEndpoints: NOTHING,
      failingEndpoints: NOTHING,
      failedPostbacks: NOTHING,
      heldPostbacks: NOTHING,
      deadLetters: NOTHING,
      postbackDeadLetters: NOTHING,
    });
    expect(gateway.dispatcher.requests.at(-1)).toMatchObject({ method: 'GET', url: '/internal/attention' });
  });

  it('counts held sales and pending applications, and shows the newest five held sales [admin.attention]', async () => {
    const partner = await gateway.createPartner();
    const oids: string[] = [];
    for (let number = 0; number < 6; number++) {
      const oid = uniqueId('sub');
      const attribution = { promotionCode: partner.promotionCode };
      await gateway.receive(purchase(oid, { attribution, customer: { emailMasked: 'a***z@yopmail.com' } }));
      oids.unshift(oid);
    }
    const body = { companyName: 'My shop', email: `${uniqueId('owner')}@example.com`, kind: 'voucher' };
    const { id } = (await gateway.request('POST', '/api/v2/partner-applications', { body })).body;
    const { heldSales, applications } = (await read()) as Record<string, { count: number; items: { oid: string }[] }>;
    expect(heldSales?.count).toBe(6);
    expect(heldSales?.items.map(({ oid }) => oid)).toEqual(oids.slice(0, 5));
    expect(heldSales?.items[0]).toMatchObject({ partnerName: 'A partner', holdReason: 'disposable_email' });
    expect(applications).toEqual({
      count: 1,
      items: [{ id, companyName: 'My shop', kind: 'voucher', createdAt: expect.any(String) }],
    });
    await gateway.manage('POST', `/admin/applications/${id}/reject`);
    await gateway.manage('POST', '/admin/sales/decisions', { decision: 'refuse', oids });
    expect(await read()).toMatchObject({ heldSales: NOTHING, applications: NOTHING });
  });

  it('adds partners’ names to the data of postback-dispatcher, and counts the dead letters of each app separately [admin.attention]', async () => {
    const { id } = await gateway.createPartner();
    const owner = { partnerId: id, environment: 'live' };
    const failedAt = '2026-01-05T09:30:00.000Z';
    gateway.dispatcher.answer(200, {
      disabledEndpoints: { count: 1, items: [{ ...owner, reason: 'endpoint gone' }] },
      pausedEndpoints: { count: 2, items: [{ ...owner, failingSince: failedAt }] },
      failingEndpoints: { count: 4, items: [{ ...owner, failing: 2, pending: 9 }] },
      heldPostbacks: { count: 3, items: [{ ...owner, count: 3 }] },
      failedPostbacks: { count: 7, items: [{ partnerId: 'ptn_gone', environment: 'live', count: 7 }] },
      deadLetters: { count: 99, items: [letter('postback-dispatcher', failedAt)] },
    });
    await gateway.database.query(
      `insert into partner.dead_letter
         (consumer, event_id, topic, "partition", "offset", key, headers, payload, reason, attempts)
       select 'partner-gateway', gen_random_uuid(), 'payment.received', 0, n, 'sub', '{}', '', 'broken', 1
         from generate_series(1, 3) n`,
    );
    const answer = await read();
    const { disabledEndpoints, pausedEndpoints, failingEndpoints, failedPostbacks, heldPostbacks, deadLetters } =
      answer;
    expect(disabledEndpoints).toEqual({
      count: 1,
      items: [{ ...owner, reason: 'endpoint gone', partnerName: 'A partner' }],
    });
    expect(pausedEndpoints).toEqual({
      count: 2,
      items: [{ ...owner, failingSince: failedAt, partnerName: 'A partner' }],
    });
    expect(failingEndpoints).toEqual({
      count: 4,
      items: [{ ...owner, failing: 2, pending: 9, partnerName: 'A partner' }],
    });
    expect(heldPostbacks).toEqual({ count: 3, items: [{ ...owner, count: 3, partnerName: 'A partner' }] });
    expect(failedPostbacks).toMatchObject({ count: 7, items: [{ count: 7, partnerName: null }] });
    const broken = { app: 'partner-gateway', reason: 'broken' };
    expect(deadLetters).toMatchObject({ count: 3, items: [broken, broken, broken] });
    expect(answer.postbackDeadLetters).toEqual({ count: 99, items: [letter('postback-dispatcher', failedAt)] });
  });

  it('returns null for the parts of postback-dispatcher while that app is down, but still returns the other parts [admin.attention]', async () => {
    gateway.dispatcher.answer(503, {});
    const { status, body } = await gateway.manage('GET', '/admin/attention');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        heldSales: NOTHING,
        disabledEndpoints: null,
        pausedEndpoints: null,
        failingEndpoints: null,
        failedPostbacks: null,
        heldPostbacks: null,
        postbackDeadLetters: null,
      },
    });
    expect(body.deadLetters).toMatchObject({ count: 3 });
  });

  it('returns null for the parts that an older version of postback-dispatcher does not report [admin.attention]', async () => {
    gateway.dispatcher.answer(200, { disabledEndpoints: NOTHING, failedPostbacks: NOTHING, deadLetters: NOTHING });
    expect(await read()).toMatchObject({
      disabledEndpoints: NOTHING,
      pausedEndpoints: null,
      failingEndpoints: null,
      heldPostbacks: null,
    });
  });

  it('counts at most 100 of 130 held sales, and shows a page of five [admin.attention]', async () => {
    const { id } = await gateway.createPartner();
    await gateway.database.query(
      `insert into partner.sale (oid, status, environment, partner_id, hold_reason, sold_at)
       select 'held-' || n, 'held', 'live', $1, 'disposable_email', now() from generate_series(1, 130) n`,
      [id],
    );
    const sales = jest.spyOn(gateway.running.nest.get(SaleRepository), 'findPage');
    expect((await read()).heldSales).toMatchObject({ count: 100, items: { length: 5 } });
    expect(await sales.mock.results[0]?.value).toMatchObject({ items: { length: 5 } });
  });

  it('is for managers only [admin.access]', async () => {
    expect(await gateway.request('GET', '/admin/attention')).toMatchObject({ status: 401 });
    const token = await gateway.managerToken({ scope: 'support' });
    expect(await gateway.request('GET', '/admin/attention', { token })).toMatchObject({ status: 403 });
  });
});
