import type { PaymentReceived } from '@tandem/contracts';
import { eventually, uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner, timeOf } from './gateway';

describe('after payment.received,', () => {
  let gateway: Gateway;
  let partner: TestPartner;
  const own = (more: Parameters<typeof purchase>[1] = {}) => ({
    attribution: { promotionCode: partner.promotionCode },
    ...more,
  });

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  describe('a qualifying sale', () => {
    it('is published as sale.completed with exactly ten fields [sales.by-token, sales.shared-id, sales.time, postback-body.oid, postback-body.shared-id, postback-body.currency, postback-body.price, postback-body.category, postback-body.tier, postback-body.sku]', async () => {
      const oid = uniqueId('sub');
      const checkoutToken = await gateway.checkoutToken(partner.token, '?ref_id=order-1');
      const items = [
        { price: '49.9', quantity: 2, category: 'Advanced, 1 year', tier: 'advanced' },
        { price: '5', quantity: 1, category: 'VPN' },
      ];
      await gateway.receive(purchase(oid, { attribution: { checkoutToken, data4: 'ignored' }, items, minute: 3 }));
      expect(await gateway.completed(oid)).toEqual([
        {
          oid,
          partnerId: partner.id,
          promotionId: partner.promotionId,
          environment: 'live',
          sharedId: 'order-1',
          emailMasked: 'j***e@example.com',
          currency: 'USD',
          items: [
            { price: '49.90', quantity: '2', category: 'Advanced, 1 year', tier: 'advanced', sku: 'Sell' },
            { price: '5.00', quantity: '1', category: 'VPN', tier: '', sku: 'Sell' },
          ],
          soldAt: timeOf(3),
          qualifiedAt: expect.any(String),
        },
      ]);
    });

    it('belongs to the test environment when its checkout token does [tokens.test-data-only]', async () => {
      const oid = uniqueId('sub');
      const checkoutToken = await gateway.checkoutToken(partner.testToken);
      await gateway.receive(purchase(oid, { attribution: { checkoutToken } }));
      expect(await gateway.completed(oid)).toMatchObject([{ environment: 'test', sharedId: '' }]);
    });

    it('is attributed by the claims of the token, which webhook-ingest has verified', async () => {
      const oid = uniqueId('sub');
      const { id: partnerId, promotionId } = partner;
      const checkout = { partnerId, promotionId, environment: 'test' as const, refId: 'order-2' };
      await gateway.receive(purchase(oid, { attribution: { checkout, data4: 'ignored' } }));
      expect(await gateway.completed(oid)).toMatchObject([{ partnerId, environment: 'test', sharedId: 'order-2' }]);
      expect(await gateway.sale(oid)).toMatchObject({ attributed_by: 'checkout' });
    });

    it('is attributed by the promotion code in lower case, with data4 as its sharedId [sales.by-code, sales.shared-id]', async () => {
      const oid = uniqueId('sub');
      const promotionCode = partner.promotionCode.toLowerCase();
      await gateway.receive(purchase(oid, { attribution: { promotionCode, data4: 'd4' } }));
      expect(await gateway.completed(oid)).toMatchObject([
        { partnerId: partner.id, environment: 'live', sharedId: 'd4' },
      ]);
    });

    it('can have a sharedId of 1,024 characters, the maximum that webhook-ingest accepts [sales.shared-id]', async () => {
      const oid = uniqueId('sub');
      const data4 = Array.from({ length: 1024 }, (_, index) => String.fromCodePoint(0x4e00 + index * 17)).join('');
      await gateway.receive(purchase(oid, { attribution: { promotionCode: partner.promotionCode, data4 } }));
      expect(await gateway.completed(oid)).toMatchObject([{ sharedId: data4 }]);
    });

    it('is attributed to the partner of the token when another partner owns the code [sales.token-wins]', async () => {
      const oid = uniqueId('sub');
      const other = await gateway.createPartner();
      const checkoutToken = await gateway.checkoutToken(partner.token);
      await gateway.receive(purchase(oid, { attribution: { checkoutToken, promotionCode: other.promotionCode } }));
      expect(await gateway.completed(oid)).toMatchObject([{ partnerId: partner.id }]);
    });

    it('is attributed by the code when the token is forged [sales.token-forged]', async () => {
      const oid = uniqueId('sub');
      const checkoutToken = `${(await gateway.checkoutToken(partner.token)).slice(0, -3)}AAA`;
      const attribution = { checkoutToken, promotionCode: partner.promotionCode };
      await gateway.receive(purchase(oid, { attribution }));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'qualified', attributed_by: 'code' });
    });

    it('is attributed by its token only if the purchase was made before the token expired [sales.token-expired]', async () => {
      const checkoutToken = await gateway.checkoutToken(partner.token);
      const [inTime, late] = [uniqueId('sub'), uniqueId('sub')];
      const afterADay = new Date(Date.now() + 86_401_000).toISOString();
      await gateway.receive(purchase(inTime, { attribution: { checkoutToken } }));
      await gateway.receive(purchase(late, { attribution: { checkoutToken }, occurredAt: afterADay }));
      expect(await gateway.completed(inTime)).toHaveLength(1);
      expect(await gateway.completed(late)).toHaveLength(0);
    });
  });

  describe('a purchase', () => {
    it('is not stored when it has no reference to a partner', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(purchase(oid), purchase(oid, { attribution: { data4: 'alone' } }));
      expect(await gateway.sale(oid)).toBeUndefined();
    });

    it('with an unknown code does not qualify, is not listed and cannot be released', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(purchase(oid, { attribution: { promotionCode: uniqueId('NONE') } }));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'unattributed', partner_id: null });
      expect(await gateway.completed(oid)).toEqual([]);
      const { body } = await gateway.manage('GET', '/admin/sales?limit=200');
      expect((body.items as { oid: string }[]).map((item) => item.oid)).not.toContain(oid);
      expect(await gateway.manage('POST', `/admin/sales/${oid}/release`)).toMatchObject({ status: 404 });
    });

    it.each<[string, Parameters<typeof purchase>[1], object | undefined]>([
      ['is not the first payment', { firstPayment: false }, undefined],
      ['costs nothing', { amount: '0.00' }, { status: 'failed', failure_reason: 'nothing_paid' }],
      ['is pending', { paymentStatus: 'pending' }, { status: 'pending' }],
      ['failed', { paymentStatus: 'failed' }, { status: 'failed', failure_reason: 'payment_failed' }],
    ])(
      'does not qualify because it %s [sales.captured, sales.total, sales.first-payment]',
      async (_title, change, row) => {
        const oid = uniqueId('sub');
        await gateway.receive(purchase(oid, own(change)));
        expect(await gateway.completed(oid)).toEqual([]);
        if (row) expect(await gateway.sale(oid)).toMatchObject(row);
        else expect(await gateway.sale(oid)).toBeUndefined();
      },
    );

    it('does not qualify when its partner is inactive, even if the partner is activated later [sales.partner-active]', async () => {
      const inactive = await gateway.createPartner();
      const other = await gateway.createPromotion(inactive.id);
      const oid = uniqueId('sub');
      await gateway.manage('PATCH', `/admin/partners/${inactive.id}`, { active: false });
      await gateway.receive(purchase(oid, { attribution: { promotionCode: inactive.promotionCode }, minute: 5 }));
      await gateway.manage('PATCH', `/admin/partners/${inactive.id}`, { active: true });
      await gateway.receive(closure(oid, 'subscription.refunded', 1));
      // These events are an older state of the same purchase, and a repetition of the purchase.
      const attribution = { promotionCode: inactive.promotionCode };
      await gateway.receive(purchase(oid, { attribution, paymentStatus: 'pending', minute: 4 }));
      await gateway.receive(purchase(oid, { attribution, minute: 5 }));
      // This event is an even older state, with another code of the partner. The sale then has the promotion of this code.
      await gateway.receive(
        purchase(oid, { attribution: { promotionCode: other.code }, paymentStatus: 'pending', minute: 3 }),
      );
      expect(await gateway.sale(oid)).toMatchObject({ promotion_id: other.id });
      expect(await gateway.sale(oid)).toMatchObject({ status: 'failed', failure_reason: 'partner_inactive' });
      expect(await gateway.completed(oid)).toEqual([]);
    });

    it('does not qualify when it was made after the promotion of its code was deactivated', async () => {
      const ended = await gateway.createPartner();
      await gateway.manage('PATCH', `/admin/promotions/${ended.promotionId}`, { active: false });
      const [before, after] = [uniqueId('sub'), uniqueId('sub')];
      const attribution = { promotionCode: ended.promotionCode };
      await gateway.receive(purchase(before, { attribution, minute: 0 }));
      await gateway.receive(purchase(after, { attribution, occurredAt: new Date(Date.now() + 1000).toISOString() }));
      expect(await gateway.completed(before)).toHaveLength(1);
      expect(await gateway.completed(after)).toHaveLength(0);
    });
  });

  describe('with events in different orders,', () => {
    const pending = (oid: string) => purchase(oid, own({ paymentStatus: 'pending', minute: 1 }));
    const failed = (oid: string) => purchase(oid, own({ paymentStatus: 'failed', minute: 2 }));
    const captured = (oid: string) => purchase(oid, own({ minute: 3 }));
    const refunded = (oid: string) => closure(oid, 'subscription.refunded', 4);
    const chargedBack = (oid: string) => closure(oid, 'subscription.charged_back', 5);
    type Make = (oid: string) => PaymentReceived;

    it.each<[string, Make[], string]>([
      ['pending, captured, captured again', [pending, captured, captured], 'qualified'],
      ['pending, failed, captured', [pending, failed, captured], 'qualified'],
      ['pending, captured, refunded, captured again', [pending, captured, refunded, captured], 'refunded'],
      ['captured, refunded, charged back', [captured, refunded, chargedBack], 'charged_back'],
      ['pending, refunded', [pending, refunded], 'refunded'],
    ])(
      'the events %s lead to the same state, with at most one sale.completed [sales.states, sales.captured-later]',
      async (_title, events, status) => {
        for (const order of permutations(events)) {
          const oid = uniqueId('sub');
          await gateway.receive(...order.map((make) => make(oid)));
          const completed = await gateway.completed(oid);
          expect({ order: order.map(({ name }) => name), ...(await gateway.sale(oid)) }).toMatchObject({ status });
          const refundFirst = order.findIndex((make) => make === refunded || make === chargedBack);
          const qualifies = order.indexOf(captured) >= 0 && (refundFirst < 0 || order.indexOf(captured) < refundFirst);
          expect(completed).toHaveLength(qualifies ? 1 : 0);
        }
      },
    );

    it('a refund that arrives before its purchase prevents the sale from qualifying [sales.refund-first]', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(refunded(oid), captured(oid));
      expect(await gateway.completed(oid)).toEqual([]);
      expect(
        await gateway.request('PUT', '/api/v2/partner/subscription/revoke', {
          token: partner.token,
          body: { subscriptionId: oid },
        }),
      ).toMatchObject({ status: 409, body: { code: 'sale_not_revocable' } });
    });

    it('a refund older than the purchase has no effect [sales.refund-first]', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(closure(oid, 'subscription.refunded', 2), captured(oid));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'qualified' });
      expect(await gateway.completed(oid)).toHaveLength(1);
    });

    it.each(['failed', 'pending'] as const)(
      'a %s payment before or after a captured one changes nothing, in any order of arrival [sales.captured-later]',
      async (paymentStatus) => {
        for (const minute of [1, 9]) {
          const events = [captured, (oid: string) => purchase(oid, own({ paymentStatus, minute }))];
          for (const order of permutations(events)) {
            const oid = uniqueId('sub');
            await gateway.receive(...order.map((make) => make(oid)));
            expect(await gateway.sale(oid)).toMatchObject({ status: 'qualified' });
            expect(await gateway.completed(oid)).toHaveLength(1);
          }
        }
      },
    );

    it('a failed payment that names a partner does not attribute an earlier captured payment, in any order of arrival', async () => {
      const unattributed = (oid: string) => purchase(oid, { attribution: { promotionCode: 'UNKNOWN' }, minute: 3 });
      const failed = (oid: string) => purchase(oid, own({ paymentStatus: 'failed', minute: 9 }));
      for (const order of permutations([unattributed, failed])) {
        const oid = uniqueId('sub');
        await gateway.receive(...order.map((make) => make(oid)));
        expect(await gateway.sale(oid)).toMatchObject({ status: 'unattributed', partner_id: null });
        expect(await gateway.completed(oid)).toEqual([]);
      }
    });

    it('a capture after the expiry of the token keeps the partner that the earlier, pending event names', async () => {
      const checkoutToken = await gateway.checkoutToken(partner.token);
      const first = (oid: string) => purchase(oid, { attribution: { checkoutToken }, paymentStatus: 'pending' });
      const second = (oid: string) =>
        purchase(oid, { attribution: { checkoutToken }, occurredAt: new Date(Date.now() + 86_401_000).toISOString() });
      for (const order of permutations([first, second])) {
        const oid = uniqueId('sub');
        await gateway.receive(...order.map((make) => make(oid)));
        expect(await gateway.completed(oid)).toMatchObject([{ partnerId: partner.id }]);
      }
    });

    it('events of other types change nothing', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(captured(oid));
      const before = await gateway.sale(oid);
      for (const type of ['renewed', 'cancelled', 'expired', 'plan_changed'] as const) {
        await gateway.receive({ ...refunded(oid), type: `subscription.${type}` });
      }
      expect(await gateway.sale(oid)).toEqual(before);
    });

    it('five concurrent captures of a pending sale lead to one sale.completed [sales.one-per-oid]', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(pending(oid));
      await gateway.atOnce(oid, 5, () => gateway.receive(captured(oid)));
      expect(await gateway.completed(oid)).toHaveLength(1);
    });

    it('ten concurrent purchases of a subscription lead to one sale.completed [sales.one-per-oid]', async () => {
      const oid = uniqueId('sub');
      await Promise.all(Array.from({ length: 10 }, (_, minute) => gateway.receive(purchase(oid, own({ minute })))));
      expect(await gateway.completed(oid)).toHaveLength(1);
    });
  });

  describe('a purchase on the bus', () => {
    it('causes one sale.completed when it arrives three times [sales.one-per-oid]', async () => {
      const oid = uniqueId('sub');
      const event = purchase(oid, own());
      const last = uniqueId('sub');
      await gateway.publish(event, event, purchase(oid, own()), purchase(last, own()));
      await eventually(async () => expect(await gateway.completed(last)).toHaveLength(1));
      await eventually(async () => expect(await gateway.completed(oid)).toHaveLength(1));
      const [handled] = await gateway.database.query(
        `select count(*)::int as letters from partner.dead_letter where key = $1`,
        [oid],
      );
      expect(handled).toEqual({ letters: 0 });
    });

    it('becomes a dead letter without a retry when its time is invalid', async () => {
      const oid = uniqueId('sub');
      // An ISO 8601 week date passes validation, but Date cannot parse it.
      await gateway.publish(purchase(oid, own({ occurredAt: '2026-W10-1' })));
      const letter = await eventually(async () => {
        const [row] = await gateway.database.query(`select reason, attempts from partner.dead_letter where key = $1`, [
          oid,
        ]);
        expect(row).toBeDefined();
        return row;
      });
      expect(letter).toMatchObject({ attempts: 1, reason: expect.stringContaining('must be a date-time') });
      expect(await gateway.sale(oid)).toBeUndefined();
    });
  });
});

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
  );
}
