import { SALE_CLOSED } from '@tandem/contracts';
import { eventually, uniqueId } from '@tandem/testing';
import { closure, Gateway, purchase, type TestPartner, timeOf } from './gateway';

describe('sale.closed', () => {
  let gateway: Gateway;
  let partner: TestPartner;

  beforeAll(async () => {
    gateway = await Gateway.start();
    partner = await gateway.createPartner();
  });
  afterAll(() => gateway.stop());

  const captured = (oid: string, minute = 3) =>
    purchase(oid, { attribution: { promotionCode: partner.promotionCode }, minute });
  const refunded = (oid: string, minute = 4) => closure(oid, 'subscription.refunded', minute);
  const chargedBack = (oid: string, minute = 5) => closure(oid, 'subscription.charged_back', minute);
  const versions = async (oid: string): Promise<unknown[]> =>
    (await gateway.database.publishedEvents('partner', SALE_CLOSED.topic, oid)).map(
      ({ headers }) => headers['ce_sequence'],
    );
  const revoke = (subscriptionId: string) =>
    gateway.request('PUT', '/api/v2/partner/subscription/revoke', { token: partner.token, body: { subscriptionId } });

  it('is published when a qualified sale is refunded, with the time of the refund [sales.closed]', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(captured(oid), refunded(oid));
    const [completed] = await gateway.completed(oid);
    expect(await gateway.closed(oid)).toEqual([
      {
        oid,
        partnerId: partner.id,
        environment: 'live',
        status: 'refunded',
        closedAt: timeOf(4),
        sharedId: '',
        qualifiedAt: completed?.qualifiedAt,
      },
    ]);
    expect(await versions(oid)).toEqual(['2']);
    expect(await gateway.sale(oid)).toMatchObject({ status: 'refunded', version: 2 });
  });

  it('contains the sharedId and the qualifiedAt of sale.completed, because consumers may no longer store that event', async () => {
    const oid = uniqueId('sub');
    const attribution = { promotionCode: partner.promotionCode, data4: 'ref-42' };
    await gateway.receive(purchase(oid, { attribution, minute: 3 }), refunded(oid), chargedBack(oid));
    const [completed] = await gateway.completed(oid);
    const sale = { sharedId: 'ref-42', qualifiedAt: completed?.qualifiedAt };
    expect(await gateway.closed(oid)).toMatchObject([sale, sale]);
  });

  it('is published twice for a sale that is refunded and then charged back [sales.closed]', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(captured(oid), refunded(oid), refunded(oid), chargedBack(oid), chargedBack(oid));
    expect(await gateway.closed(oid)).toMatchObject([
      { status: 'refunded', closedAt: timeOf(4) },
      { status: 'charged_back', closedAt: timeOf(5) },
    ]);
    expect(await versions(oid)).toEqual(['2', '3']);
  });

  it('is not published again for an older chargeback or a second refund', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(captured(oid), refunded(oid, 6), chargedBack(oid, 5), refunded(oid, 7));
    expect(await gateway.closed(oid)).toMatchObject([{ status: 'refunded', closedAt: timeOf(6) }]);
  });

  it('is published once, and so is sale.completed, when a batch contains a purchase and two refunds', async () => {
    const oid = uniqueId('sub');
    await gateway.receiveBatch([captured(oid), refunded(oid), refunded(oid)]);
    expect(await gateway.completed(oid)).toHaveLength(1);
    expect(await gateway.closed(oid)).toMatchObject([{ status: 'refunded' }]);
    expect(await gateway.sale(oid)).toMatchObject({ status: 'refunded', version: 2 });
  });

  it('is published once for five concurrent refunds', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(captured(oid));
    await gateway.atOnce(oid, 5, () => gateway.receive(refunded(oid)));
    expect(await gateway.closed(oid)).toHaveLength(1);
  });

  it('is published when a revoked sale is refunded, and the sale stays revoked', async () => {
    const oid = uniqueId('sub');
    await gateway.receive(captured(oid));
    expect(await revoke(oid)).toMatchObject({ status: 200 });
    await gateway.receive(refunded(oid), refunded(oid));
    expect(await gateway.sale(oid)).toMatchObject({ status: 'revoked' });
    expect(await gateway.closed(oid)).toMatchObject([{ status: 'refunded' }]);
  });

  it.each([
    ['arrives before its purchase', [refunded, captured]],
    ['belongs to a pending sale', [(oid: string) => ({ ...captured(oid), purchase: pendingOf(oid) }), refunded]],
    ['belongs to no known sale', [refunded]],
    ['is older than the purchase', [captured, (oid: string) => refunded(oid, 2)]],
  ])('is not published when the refund %s', async (_title, events) => {
    const oid = uniqueId('sub');
    await gateway.receive(...events.map((make) => make(oid)));
    expect(await gateway.closed(oid)).toEqual([]);
  });

  it('is published once for a refund that arrives three times', async () => {
    const oid = uniqueId('sub');
    const event = refunded(oid);
    await gateway.publish(captured(oid), event, event, event);
    await eventually(async () => expect(await gateway.sale(oid)).toMatchObject({ status: 'refunded' }));
    await eventually(async () => expect(await gateway.closed(oid)).toHaveLength(1));
  });

  const pendingOf = (oid: string) =>
    purchase(oid, { attribution: { promotionCode: partner.promotionCode }, paymentStatus: 'pending' }).purchase;
});
