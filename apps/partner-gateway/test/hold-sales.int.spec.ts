import { emailHash, type PaymentReceived } from '@tandem/contracts';
import { bootstrap } from '@tandem/service-defaults';
import { eventually, uniqueId } from '@tandem/testing';
import { app } from '../src/app';
import { EMAIL_HASH_KEY, Gateway, hashOf, purchase, type TestPartner } from './gateway';

describe('payment.received', () => {
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

  /** Returns sales of one buyer. Each sale is made two seconds after the previous one. */
  const salesOfOneBuyer = (count: number): PaymentReceived[] => {
    const customer = { emailHash: hashOf(uniqueId('buyer')) };
    return Array.from({ length: count }, (_, index) =>
      purchase(uniqueId('sub'), own({ customer, minute: index / 30 })),
    );
  };
  const countByStatus = async (sales: PaymentReceived[]): Promise<Record<string, number>> => {
    const rows = await gateway.database.query<{ status: string; count: number }>(
      `select status, count(*)::int as count from partner.sale where oid = any($1) group by status`,
      [sales.map(({ subscriptionId }) => subscriptionId)],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  };

  describe('under the fraud rules', () => {
    it("holds a purchase with the partner's own address [sales.hold-own-address]", async () => {
      const owner = await gateway.createPartner({ contactEmail: 'Owner@Example.com' });
      const oid = uniqueId('sub');
      const hash = emailHash('owner@example.com', Buffer.from(EMAIL_HASH_KEY, 'base64'));
      const attribution = { promotionCode: owner.promotionCode };
      await gateway.receive(purchase(oid, { attribution, customer: { emailHash: hash } }));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'buyer_is_partner' });
      expect(await gateway.completed(oid)).toEqual([]);
    });

    it("holds a purchase with another spelling of the partner's own address", async () => {
      const owner = await gateway.createPartner({ contactEmail: 'Own.er+partner@googlemail.com' });
      const oid = uniqueId('sub');
      const hash = emailHash('owner@gmail.com.', Buffer.from(EMAIL_HASH_KEY, 'base64'));
      const attribution = { promotionCode: owner.promotionCode };
      await gateway.receive(purchase(oid, { attribution, customer: { emailHash: hash } }));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'buyer_is_partner' });
    });

    it('holds a purchase with a disposable address [sales.hold-disposable]', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(purchase(oid, own({ customer: { emailMasked: 'a***z@mailinator.com' } })));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'disposable_email' });
    });

    it('holds a buyer’s sales after the fifth in an hour, even when all arrive concurrently [sales.hold-frequency]', async () => {
      const customer = { emailHash: hashOf(uniqueId('buyer')) };
      const oids = Array.from({ length: 8 }, () => uniqueId('sub'));
      await Promise.all(oids.map((oid) => gateway.receive(purchase(oid, own({ customer })))));
      const rows = await Promise.all(oids.map((oid) => gateway.sale(oid)));
      const statuses = rows.map((row) => row?.['status']);
      expect(statuses.filter((status) => status === 'qualified')).toHaveLength(5);
      expect(statuses.filter((status) => status === 'held')).toHaveLength(3);
    });

    it('qualifies exactly 5 of a buyer’s 30 sales that arrive at two processes out of order [sales.hold-frequency]', async () => {
      const second = await bootstrap(app, gateway.env);
      try {
        const sales = salesOfOneBuyer(30);
        await gateway.publish(...shuffled(sales));
        await eventually(async () => expect(await countByStatus(sales)).toEqual({ qualified: 5, held: 25 }));
      } finally {
        await second.close();
      }
    });

    it('qualifies exactly 5 of a buyer’s 30 sales in concurrent transactions', async () => {
      const sales = salesOfOneBuyer(30);
      await Promise.all(shuffled(sales).map((sale) => gateway.receive(sale)));
      expect(await countByStatus(sales)).toEqual({ qualified: 5, held: 25 });
    });

    it('qualifies exactly 5 of a buyer’s 30 sales in one batch', async () => {
      const sales = salesOfOneBuyer(30);
      await gateway.receiveBatch(shuffled(sales));
      expect(await countByStatus(sales)).toEqual({ qualified: 5, held: 25 });
    });

    it('qualifies exactly 5 of a buyer’s 30 sales in concurrent batches of two processes', async () => {
      const second = await bootstrap(app, gateway.env);
      try {
        const sales = salesOfOneBuyer(30);
        const batches = Array.from({ length: 10 }, (_, index) => shuffled(sales).slice(index * 3, index * 3 + 3));
        const processes = [gateway.running, second];
        await Promise.all(batches.map((batch, index) => gateway.receiveBatch(batch, processes[index % 2])));
        expect(await countByStatus(sales)).toEqual({ qualified: 5, held: 25 });
      } finally {
        await second.close();
      }
    });

    it('holds a sale that arrives late if the buyer already has five sales in the same hour', async () => {
      const customer = { emailHash: hashOf(uniqueId('buyer')) };
      const sold = (minute: number) => purchase(uniqueId('sub'), own({ customer, minute }));
      const sales = [10, 20, 30, 40, 50].map(sold);
      const late = sold(0);
      await gateway.receive(...sales, late);
      expect(await countByStatus(sales)).toEqual({ qualified: 5 });
      expect(await gateway.sale(late.subscriptionId)).toMatchObject({ status: 'held', hold_reason: 'too_many_sales' });
    });

    it('does not count a sale that is exactly one hour earlier or later [sales.hold-frequency]', async () => {
      for (const [first, last] of [
        [0, 60],
        [60, 0],
      ]) {
        const customer = { emailHash: hashOf(uniqueId('buyer')) };
        const sales = [first, 10, 20, 30, 40, last].map((minute) =>
          purchase(uniqueId('sub'), own({ customer, minute })),
        );
        await gateway.receive(...sales);
        expect(await countByStatus(sales)).toEqual({ qualified: 6 });
      }
    });

    it('counts sales of the test environment separately', async () => {
      const customer = { emailHash: hashOf(uniqueId('buyer')) };
      const attribution = { checkoutToken: await gateway.checkoutToken(partner.testToken) };
      const sales = Array.from({ length: 10 }, (_, index) =>
        purchase(uniqueId('sub'), { ...own({ customer }), ...(index % 2 ? { attribution } : {}) }),
      );
      await gateway.receiveBatch(sales);
      expect(await countByStatus(sales)).toEqual({ qualified: 10 });
    });

    it('counts only sales within the same hour [sales.hold-frequency]', async () => {
      const customer = { emailHash: hashOf(uniqueId('buyer')) };
      const oids = Array.from({ length: 6 }, () => uniqueId('sub'));
      for (const [index, oid] of oids.entries()) {
        await gateway.receive(purchase(oid, own({ customer, minute: -20 * (5 - index) })));
      }
      const rows = await Promise.all(oids.map((oid) => gateway.sale(oid)));
      expect(rows.map((row) => row?.['status'])).toEqual(oids.map(() => 'qualified'));
    });

    describe('when another purchase with the `oid` of a held sale arrives', () => {
      const disposable = { emailMasked: 'a***z@mailinator.com' };
      const hold = async (): Promise<string> => {
        const oid = uniqueId('sub');
        await gateway.receive(purchase(oid, own({ customer: disposable })));
        expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'disposable_email' });
        return oid;
      };

      it('keeps the sale held, even if no fraud rule applies to the new purchase [sales.not-held]', async () => {
        const oid = await hold();
        await gateway.receive(purchase(oid, own({ minute: 1 })));
        expect(await gateway.sale(oid)).toMatchObject({
          status: 'held',
          hold_reason: 'disposable_email',
          email_masked: 'j***e@example.com',
          hold_evidence: { domain: 'mailinator.com' },
        });
        expect(await gateway.completed(oid)).toEqual([]);
      });

      it.each(['failed', 'pending'] as const)(
        'keeps the sale held, even if a purchase with a %s payment arrives before the new purchase [sales.not-held]',
        async (paymentStatus) => {
          const oid = await hold();
          await gateway.receive(purchase(oid, own({ customer: disposable, paymentStatus, minute: 1 })));
          expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'disposable_email' });
          await gateway.receive(purchase(oid, own({ minute: 2 })));
          expect(await gateway.sale(oid)).toMatchObject({
            status: 'held',
            hold_evidence: { domain: 'mailinator.com' },
          });
          expect(await gateway.completed(oid)).toEqual([]);
        },
      );

      it.each(['failed', 'pending'] as const)(
        'keeps the sale held, even if the new purchase has a %s payment and names another partner [sales.not-held]',
        async (paymentStatus) => {
          const owner = await gateway.createPartner();
          const oid = await hold();
          const attribution = { checkoutToken: await gateway.checkoutToken(owner.token) };
          await gateway.receive(purchase(oid, { attribution, paymentStatus, minute: 1 }));
          expect(await gateway.sale(oid)).toMatchObject({ status: 'held', partner_id: partner.id });
        },
      );

      it('replaces the hold reason when the new purchase moves the sale to a partner who is the buyer', async () => {
        const owner = await gateway.createPartner({ contactEmail: 'mover@mailinator.com' });
        const hash = emailHash('mover@mailinator.com', Buffer.from(EMAIL_HASH_KEY, 'base64'));
        const customer = { ...disposable, emailHash: hash };
        const oid = uniqueId('sub');
        await gateway.receive(purchase(oid, own({ customer })));
        expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'disposable_email' });
        const attribution = { checkoutToken: await gateway.checkoutToken(owner.token) };
        await gateway.receive(purchase(oid, { attribution, customer, minute: 1 }));
        expect(await gateway.sale(oid)).toMatchObject({
          status: 'held',
          partner_id: owner.id,
          hold_reason: 'buyer_is_partner',
          hold_evidence: null,
        });
      });

      it('qualifies the sale if the new purchase moves it to another partner and no fraud rule applies to the new purchase', async () => {
        const owner = await gateway.createPartner();
        const oid = await hold();
        const attribution = { checkoutToken: await gateway.checkoutToken(owner.token) };
        await gateway.receive(purchase(oid, { attribution, minute: 1 }));
        expect(await gateway.sale(oid)).toMatchObject({
          status: 'qualified',
          partner_id: owner.id,
          hold_reason: null,
          hold_evidence: null,
        });
      });

      it('changes nothing when the new purchase has the time of the held sale or an earlier time', async () => {
        const oid = await hold();
        const { status, hold_reason, hold_evidence, version, sold_at } = (await gateway.sale(oid)) ?? {};
        const customer = { emailMasked: 'a***z@yopmail.com' };
        await gateway.receive(purchase(oid, own({ customer })), purchase(oid, own({ customer, minute: -1 })));
        expect(await gateway.sale(oid)).toMatchObject({ status, hold_reason, hold_evidence, version, sold_at });
      });
    });
  });
});

/**
 * Reorders sales so that sales that are close in time arrive far apart: starts with the last sale, then repeatedly goes back seven places,
 * and continues at the end of the list when it reaches the start. The number of sales must not be a multiple of 7.
 */
const shuffled = <T>(items: readonly T[]): T[] =>
  items.map((_, index) => items[(items.length * 7 - 1 - index * 7) % items.length] as T);
