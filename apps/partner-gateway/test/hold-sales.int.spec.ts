import { emailHash } from '@tandem/contracts';
import { uniqueId } from '@tandem/testing';
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

  describe('that looks like fraud', () => {
    it("holds a purchase with the partner's own address", async () => {
      const owner = await gateway.createPartner({ contactEmail: 'Owner@Example.com' });
      const oid = uniqueId('sub');
      const hash = emailHash('owner@example.com', Buffer.from(EMAIL_HASH_KEY, 'base64'));
      const attribution = { promotionCode: owner.promotionCode };
      await gateway.receive(purchase(oid, { attribution, customer: { emailHash: hash } }));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'buyer_is_partner' });
      expect(await gateway.completed(oid)).toEqual([]);
    });

    it('holds a purchase with a disposable address', async () => {
      const oid = uniqueId('sub');
      await gateway.receive(purchase(oid, own({ customer: { emailMasked: 'a***z@mailinator.com' } })));
      expect(await gateway.sale(oid)).toMatchObject({ status: 'held', hold_reason: 'disposable_email' });
    });

    it('holds the sixth sale of a buyer within an hour, also when all come at once', async () => {
      const customer = { emailHash: hashOf(uniqueId('buyer')) };
      const oids = Array.from({ length: 8 }, () => uniqueId('sub'));
      await Promise.all(oids.map((oid) => gateway.receive(purchase(oid, own({ customer })))));
      const rows = await Promise.all(oids.map((oid) => gateway.sale(oid)));
      const statuses = rows.map((row) => row?.['status']);
      expect(statuses.filter((status) => status === 'qualified')).toHaveLength(5);
      expect(statuses.filter((status) => status === 'held')).toHaveLength(3);
    });

    it('counts an hour only', async () => {
      const customer = { emailHash: hashOf(uniqueId('buyer')) };
      const oids = Array.from({ length: 6 }, () => uniqueId('sub'));
      for (const [index, oid] of oids.entries()) {
        await gateway.receive(purchase(oid, own({ customer, minute: -20 * (5 - index) })));
      }
      const rows = await Promise.all(oids.map((oid) => gateway.sale(oid)));
      expect(rows.map((row) => row?.['status'])).toEqual(oids.map(() => 'qualified'));
    });
  });
});
