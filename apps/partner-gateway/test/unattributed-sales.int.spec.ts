import { Retention } from '@tandem/messaging';
import { uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner } from './gateway';

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
  const deleteExpired = (): Promise<void> => gateway.running.nest.get(Retention).deleteExpired(new Date());

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
});
