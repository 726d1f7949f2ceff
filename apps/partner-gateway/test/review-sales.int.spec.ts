import { Logger } from '@nestjs/common';
import { uniqueId } from '@tandem/testing';
import { closure, Gateway, hashOf, purchase, type TestPartner, timeOf } from './gateway';

describe('held sales', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  const decide = (oid: string, decision: 'release' | 'refuse') =>
    gateway.manage('POST', `/admin/sales/${oid}/${decision}`);

  const hold = async (owner = partner): Promise<string> => {
    const oid = uniqueId('sub');
    const attribution = { promotionCode: owner.promotionCode, data4: 'd4' };
    await gateway.receive(purchase(oid, { attribution, customer: { emailMasked: 'a***z@yopmail.com' } }));
    return oid;
  };

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  it('are listed by their status [admin.sales]', async () => {
    const oid = await hold();
    const { body } = await gateway.manage('GET', '/admin/sales?status=held');
    expect(body.items[0]).toMatchObject({ oid, status: 'held', holdReason: 'disposable_email', partnerId: partner.id });
    const qualified = await gateway.manage('GET', '/admin/sales?status=qualified');
    expect(qualified.body.items.map((item: { oid: string }) => item.oid)).not.toContain(oid);
    expect(await gateway.manage('GET', '/admin/sales?status=sold')).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'status' }] },
    });
  });

  it('are found by partner, by subscription and by reference [admin.sales]', async () => {
    const owner = await gateway.createPartner();
    const oid = await hold(owner);
    await hold(owner);
    const find = async (query: string): Promise<string[]> => {
      const { body } = await gateway.manage('GET', `/admin/sales?${query}`);
      return body.items.map((item: { oid: string }) => item.oid);
    };
    expect(await find(`oid=${oid}`)).toEqual([oid]);
    expect(await find(`partnerId=${owner.id}`)).toHaveLength(2);
    expect(await find(`partnerId=${owner.id}&refId=d4&status=held&limit=2`)).toHaveLength(2);
    expect(await find(`partnerId=${owner.id}&refId=d5`)).toEqual([]);
    expect(await find(`partnerId=${partner.id}&oid=${oid}`)).toEqual([]);
    expect(await find(`oid=${oid}&status=qualified`)).toEqual([]);
  });

  it('are paged with filters, and a cursor is accepted only with the filters for which it was issued [admin.sales]', async () => {
    const owner = await gateway.createPartner();
    const oids = [await hold(owner), await hold(owner)];
    const query = `partnerId=${owner.id}&refId=d4&limit=1`;
    const first = (await gateway.manage('GET', `/admin/sales?${query}`)).body;
    const second = (await gateway.manage('GET', `/admin/sales?${query}&cursor=${first.nextCursor}`)).body;
    expect([...first.items, ...second.items].map((item: { oid: string }) => item.oid)).toEqual(oids.reverse());
    expect(second).toMatchObject({ nextCursor: null, hasMore: false });
    for (const other of ['', `partnerId=${partner.id}`, `partnerId=${owner.id}&refId=d5`]) {
      const refused = await gateway.manage('GET', `/admin/sales?${other}&cursor=${first.nextCursor}`);
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
  });

  it('are listed without unattributed purchases, which are found only with a filter by status or oid [admin.sales]', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(purchase(oid, { attribution: { promotionCode: 'NOBODYS' } }));
    const expected = { oid, status: 'unattributed', partnerId: null, unattributedReason: 'unknown_code' };
    expect((await gateway.manage('GET', `/admin/sales?oid=${oid}`)).body.items).toMatchObject([expected]);
    const byTime = `/admin/sales?oid=${oid}&environment=live&from=2026-01-01T00:00:00Z`;
    expect((await gateway.manage('GET', byTime)).body.items).toMatchObject([expected]);
    expect((await gateway.manage('GET', '/admin/sales?status=unattributed&limit=1')).body.items[0]).toMatchObject(
      expected,
    );
    const all = (await gateway.manage('GET', '/admin/sales?limit=200')).body.items;
    expect(all.map((item: { oid: string }) => item.oid)).not.toContain(oid);
  });

  it.each([
    ['staus=held', 'staus'],
    ['ref_id=d4', 'ref_id'],
    ['oid=', 'oid'],
    ['refId=%00', 'refId'],
    ['partnerId=a&partnerId=b', 'partnerId'],
  ])('are not listed for the invalid query ?%s [admin.unknown-parameters]', async (query, field) => {
    expect(await gateway.manage('GET', `/admin/sales?${query}`)).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ field }] },
    });
  });

  it('are listed with cursors that are refused for the list of another status [errors.invalid-cursor]', async () => {
    await hold();
    await hold();
    const { nextCursor } = (await gateway.manage('GET', '/admin/sales?status=held&limit=1')).body;
    expect(await gateway.manage('GET', `/admin/sales?status=qualified&cursor=${nextCursor}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
  });

  it('qualify once when released, and can then be revoked [sales.states, sales.not-held, admin.release, admin.audit-row]', async () => {
    const oid = await hold();
    expect(await gateway.completed(oid)).toEqual([]);
    const answers = await gateway.atOnce(oid, 3, () => decide(oid, 'release'));
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { oid, status: 'qualified' } });
    expect(await decide(oid, 'release')).toMatchObject({ status: 200, body: { status: 'qualified' } });
    const [completed, ...more] = await gateway.completed(oid);
    expect(more).toEqual([]);
    expect(completed).toMatchObject({ oid, sharedId: 'd4' });
    expect(Date.parse(completed?.qualifiedAt as string)).toBeGreaterThan(Date.parse(completed?.soldAt as string));
    const audit = await gateway.database.query(`select action from partner.audit_entry where entity_id = $1`, [oid]);
    expect(audit).toEqual([{ action: 'sale.released' }]);
    const revoked = await gateway.request('PUT', '/api/v2/partner/subscription/revoke', {
      token: partner.token,
      body: { subscriptionId: oid },
    });
    expect(revoked.status).toBe(200);
  });

  it('fail when they are refused, and stay failed when another capture arrives [admin.refuse]', async () => {
    const oid = await hold();
    expect(await decide(oid, 'refuse')).toMatchObject({
      status: 200,
      body: { status: 'failed', failureReason: 'refused' },
    });
    await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode }, minute: 9 }));
    expect(await gateway.sale(oid)).toMatchObject({ status: 'failed' });
    expect(await gateway.completed(oid)).toEqual([]);
    expect((await decide(oid, 'refuse')).status).toBe(200);
    expect(await decide(oid, 'release')).toMatchObject({ status: 409, body: { code: 'sale_not_held' } });
  });

  it('show the evidence on which the fraud rule held them [admin.hold-evidence]', async () => {
    const evidence = async (oid: string) => {
      const { body } = await gateway.manage('GET', `/admin/sales?oid=${oid}`);
      return (body.items as { holdEvidence: unknown }[])[0]?.holdEvidence;
    };
    expect(await evidence(await hold())).toEqual({ domain: 'yopmail.com', maxSalesPerHour: null, sales: [] });
    const customer = { emailHash: hashOf(uniqueId('buyer')) };
    const attribution = { promotionCode: partner.promotionCode };
    const oids = Array.from({ length: 6 }, () => uniqueId('sub'));
    for (const [minute, oid] of oids.entries()) await gateway.receive(purchase(oid, { attribution, customer, minute }));
    expect(await evidence(String(oids[5]))).toEqual({
      domain: null,
      maxSalesPerHour: 5,
      sales: [4, 3, 2, 1, 0].map((minute) => ({ oid: oids[minute], soldAt: timeOf(minute) })),
    });
    expect(await evidence(String(oids[4]))).toBeNull();
  });

  it.each(['release', 'refuse'] as const)(
    'can be decided with a note, which the sale and the audit trail contain: %s [admin.decisions]',
    async (decision) => {
      const oid = await hold();
      const note = 'A reseller';
      const { body } = await gateway.manage('POST', `/admin/sales/${oid}/${decision}`, { note });
      expect(body).toMatchObject({ oid, holdNote: note });
      const { body: audit } = await gateway.manage('GET', `/admin/audit?entityId=${oid}`);
      expect(audit.items).toMatchObject([{ before: { holdNote: null }, after: { holdNote: note } }]);
      expect(await gateway.manage('POST', `/admin/sales/${oid}/${decision}`, { note: 'x'.repeat(1001) })).toMatchObject(
        {
          status: 422,
          body: { errors: [{ field: 'note' }] },
        },
      );
    },
  );

  it('can be decided in one request, each independently of the others [admin.decisions]', async () => {
    const inactive = await gateway.createPartner();
    const [first, second, ofInactive] = [await hold(), await hold(), await hold(inactive)];
    await gateway.manage('PATCH', `/admin/partners/${inactive.id}`, { active: false });
    const qualified = uniqueId('sub');
    await gateway.receive(purchase(qualified, { attribution: { promotionCode: partner.promotionCode } }));
    const oids = [first, qualified, 'sub-of-nobody', ofInactive, second];
    const body = { decision: 'release', oids, note: 'Known buyers' };
    const done = (oid: string) => ({ oid, status: 'qualified', code: null, detail: null });
    const not = (oid: string, code: string) => ({ oid, status: null, code, detail: expect.any(String) });
    const expected = {
      status: 200,
      body: {
        items: [
          done(first),
          not(qualified, 'sale_not_held'),
          not('sub-of-nobody', 'subscription_not_found'),
          not(ofInactive, 'partner_inactive'),
          done(second),
        ],
      },
    };
    expect(await gateway.manage('POST', '/admin/sales/decisions', body)).toMatchObject(expected);
    expect(await gateway.manage('POST', '/admin/sales/decisions', body)).toMatchObject(expected);
    for (const oid of [first, second]) expect(await gateway.completed(oid)).toHaveLength(1);
    const refused = await gateway.manage('POST', '/admin/sales/decisions', { decision: 'refuse', oids: [ofInactive] });
    expect(refused.body.items).toMatchObject([{ oid: ofInactive, status: 'failed' }]);
  });

  it.each([
    [{ decision: 'keep', oids: ['a'] }, 'decision'],
    [{ decision: 'release' }, 'oids'],
    [{ decision: 'release', oids: Array.from({ length: 101 }, (_, index) => `a${index}`) }, 'oids'],
  ])('are not decided when the body is invalid [admin.decisions]', async (body, field) => {
    expect(await gateway.manage('POST', '/admin/sales/decisions', body)).toMatchObject({
      status: 422,
      body: { errors: [{ field }] },
    });
  });

  it('cannot be released while their partner is inactive', async () => {
    const owner = await gateway.createPartner();
    const oid = await hold(owner);
    await gateway.manage('PATCH', `/admin/partners/${owner.id}`, { active: false });
    expect(await decide(oid, 'release')).toMatchObject({ status: 409, body: { code: 'partner_inactive' } });
    expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_decision: null });
    expect(await gateway.completed(oid)).toEqual([]);
    // If an older state of the purchase arrives afterwards, the sale stays held.
    const attribution = { promotionCode: owner.promotionCode };
    await gateway.receive(purchase(oid, { attribution, paymentStatus: 'pending', minute: -1 }));
    expect(await gateway.sale(oid)).toMatchObject({ status: 'held' });
    // When an even older state arrives with another code of the partner, the sale also stays held, but then has the promotion of this code.
    const other = await gateway.createPromotion(owner.id);
    await gateway.receive(
      purchase(oid, { attribution: { promotionCode: other.code }, paymentStatus: 'pending', minute: -2 }),
    );
    expect(await gateway.sale(oid)).toMatchObject({ status: 'held', promotion_id: other.id });
  });

  it.each([
    ['release', 'qualified', 'released'],
    ['refuse', 'failed', 'refused'],
  ] as const)('cause one log line when they are decided: %s', async (decision, to, holdDecision) => {
    const log = jest.spyOn(Logger.prototype, 'log');
    const oid = await hold();
    for (let times = 1; times <= 2; times++) await decide(oid, decision);
    const lines = log.mock.calls.map(([line]) => line as { from?: string }).filter(({ from }) => from === 'held');
    log.mockRestore();
    expect(lines).toEqual([{ msg: 'sale changed', oid, partnerId: partner.id, from: 'held', to, holdDecision }]);
  });

  it('cannot be released after a refund [admin.release]', async () => {
    const oid = await hold();
    await gateway.receive(closure(oid, 'subscription.refunded', 5));
    expect(await decide(oid, 'release')).toMatchObject({ status: 409, body: { code: 'sale_not_held' } });
    expect(await gateway.completed(oid)).toEqual([]);
  });

  it('are the only sales that can be decided: other sales get 409, and unknown ids get 404 [admin.release]', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode } }));
    for (const decision of ['release', 'refuse'] as const) {
      expect(await decide(oid, decision)).toMatchObject({ status: 409, body: { code: 'sale_not_held' } });
      for (const unknown of [uniqueId('sub'), '%00'])
        expect(await decide(unknown, decision)).toMatchObject({
          status: 404,
          body: { code: 'subscription_not_found' },
        });
    }
    expect(await gateway.completed(oid)).toHaveLength(1);
  });
});
