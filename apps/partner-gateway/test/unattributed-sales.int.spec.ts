import type { PurchaseAttribution } from '@tandem/contracts';
import { Retention } from '@tandem/messaging';
import { uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner, timeOf } from './gateway';

const DAY_MS = 86_400_000;

describe('rows with the status unattributed', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  const refunded = (oid: string) => closure(oid, 'subscription.refunded', 4);
  const bought = (oid: string) => purchase(oid, { attribution: { promotionCode: partner.promotionCode }, minute: 3 });
  const age = (oid: string, days: number): Promise<unknown> =>
    gateway.database.query(`update partner.sale set updated_at = $2 where oid = $1`, [
      oid,
      new Date(Date.now() - days * DAY_MS),
    ]);
  const deleteExpired = (): Promise<void> => gateway.running.nest.get(Retention).deleteExpired();

  it('are deleted 180 days after their last change, and not before', async () => {
    const [old, young] = [uniqueId('sub'), uniqueId('sub')];
    await gateway.receive(refunded(old), refunded(young));
    await age(old, 180.01);
    await age(young, 179.99);
    await deleteExpired();
    expect(await gateway.sale(old)).toBeUndefined();
    expect(await gateway.sale(young)).toMatchObject({ status: 'unattributed', closed_by: 'refunded' });
  });

  it('still prevent a sale from qualifying when the purchase arrives almost 180 days after its refund', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(refunded(oid));
    await age(oid, 179.99);
    await deleteExpired();
    await gateway.receive(bought(oid));
    expect(await gateway.sale(oid)).toMatchObject({ status: 'refunded' });
    expect(await gateway.completed(oid)).toEqual([]);
  });

  it('are the only rows of `sale` that are deleted: partners’ sales are kept at any age', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(bought(oid));
    await age(oid, 4_000);
    await deleteExpired();
    expect(await gateway.sale(oid)).toMatchObject({ status: 'qualified' });
  });

  describe('of purchases whose promotion code was unknown or deactivated', () => {
    type Change = Parameters<typeof purchase>[1];
    const PENDING: Change = { paymentStatus: 'pending', minute: 4 };
    const CAPTURED: Change = { minute: 5 };

    /** Creates a partner whose promotion was deactivated at the given minute (see {@link timeOf}). */
    async function createEnded(minute: number): Promise<TestPartner> {
      const ended = await gateway.createPartner();
      await gateway.database.query(`update partner.promotion set active = false, deactivated_at = $2 where id = $1`, [
        ended.promotionId,
        timeOf(minute),
      ]);
      return ended;
    }
    const activate = ({ promotionId }: TestPartner) =>
      gateway.manage('PATCH', `/admin/promotions/${promotionId}`, { active: true });
    const receive = (oid: string, attribution: PurchaseAttribution, ...changes: Change[]): Promise<void> =>
      gateway.receive(...changes.map((change) => purchase(oid, { attribution, ...change })));
    async function expectUnattributed(oid: string, reason: string): Promise<void> {
      const row = { status: 'unattributed', unattributed_reason: reason, payment_status: 'captured', partner_id: null };
      expect(await gateway.sale(oid)).toMatchObject(row);
      expect(await gateway.completed(oid)).toEqual([]);
    }

    it.each<[string, Change[], Change[]]>([
      ['arrives again', [CAPTURED], [CAPTURED]],
      ['and its earlier, pending event arrive again', [PENDING, CAPTURED], [PENDING, CAPTURED]],
      ['is then reported as captured with the same time', [{ ...CAPTURED, paymentStatus: 'pending' }], [CAPTURED]],
    ])('stay unattributed when the promotion is activated and the purchase %s', async (_title, first, then) => {
      const ended = await createEnded(1);
      const oid = uniqueId('sub');
      const attribution = { promotionCode: ended.promotionCode };
      await receive(oid, attribution, ...first);
      await activate(ended);
      await receive(oid, attribution, ...then);
      await expectUnattributed(oid, 'code_ended');
    });

    it('stay unattributed when the purchase arrives again after the promotion was activated and deactivated again', async () => {
      const ended = await createEnded(1);
      const oid = uniqueId('sub');
      const attribution = { promotionCode: ended.promotionCode };
      await receive(oid, attribution, CAPTURED);
      await activate(ended);
      await gateway.manage('PATCH', `/admin/promotions/${ended.promotionId}`, { active: false });
      await receive(oid, attribution, CAPTURED);
      await expectUnattributed(oid, 'code_ended');
    });

    it('stay unattributed when a promotion gets the code and the purchase arrives again', async () => {
      const [oid, promotionCode] = [uniqueId('sub'), uniqueId('LATER')];
      await receive(oid, { promotionCode }, PENDING, CAPTURED);
      const body = { code: promotionCode, percentOff: 10 };
      expect(await gateway.manage('POST', `/admin/partners/${partner.id}/promotions`, body)).toMatchObject({
        status: 201,
      });
      await receive(oid, { promotionCode }, PENDING, CAPTURED);
      await expectUnattributed(oid, 'unknown_code');
    });

    it('stay unattributed when the purchase also has an invalid token', async () => {
      const ended = await createEnded(1);
      const oid = uniqueId('sub');
      const attribution: PurchaseAttribution = { checkoutFault: 'token_expired', promotionCode: ended.promotionCode };
      await receive(oid, attribution, CAPTURED);
      await activate(ended);
      await receive(oid, attribution, CAPTURED);
      await expectUnattributed(oid, 'token_expired');
    });

    it('become sales by a valid token, or by a newer purchase after the promotion was activated', async () => {
      const ended = await createEnded(1);
      const [byToken, byNewer] = [uniqueId('sub'), uniqueId('sub')];
      const attribution = { promotionCode: ended.promotionCode };
      await receive(byToken, attribution, CAPTURED);
      await receive(byNewer, attribution, PENDING);
      await activate(ended);
      await receive(byToken, { checkoutToken: await gateway.checkoutToken(ended.token), ...attribution }, CAPTURED);
      await receive(byNewer, attribution, CAPTURED);
      expect(await gateway.completed(byToken)).toMatchObject([{ partnerId: ended.id }]);
      expect(await gateway.completed(byNewer)).toMatchObject([{ partnerId: ended.id }]);
    });

    it('become sales by an older purchase that was made before the promotion was deactivated', async () => {
      const ended = await createEnded(4.5);
      const oid = uniqueId('sub');
      await receive(oid, { promotionCode: ended.promotionCode }, CAPTURED);
      await expectUnattributed(oid, 'code_ended');
      await receive(oid, { promotionCode: ended.promotionCode }, PENDING);
      expect(await gateway.completed(oid)).toMatchObject([{ partnerId: ended.id }]);
    });
  });
});
